import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Home, line } from "../testing.ts";

const texts = ["a", "b", "c"].map((letter) => letter.repeat(40_000));

let home: Home;
beforeAll(async () => {
  home = new Home();
  const content = texts.map((text) => ({ type: "text", text }));
  home.writeSession(
    "s1",
    line("s1", "m1", "before it"),
    line("s1", "m2", "", { parentUuid: "m1", message: { role: "user", content } }),
    line("s1", "m3", "after it", { parentUuid: "m2" }),
  );
  const long = Array.from({ length: 11 }, (_, at) => line("long", `n${at}`, "x".repeat(20_000)));
  home.writeSession("long", ...long);
  await home.pond("sync", "claude-code");
});
afterAll(() => home.remove());

const page = async (...argv: readonly string[]) => {
  const { stdout } = await home.pond("get", "s1", "--message", "m2", "--json", ...argv);
  return JSON.parse(stdout);
};
const idsIn = ({ target }: { readonly target: { content: { id: string }[] } }): string[] =>
  target.content.map(({ id }) => id);

describe("pond get --message, for a message longer than a page", () => {
  it("prints a page of its parts, and the next page with --after", async () => {
    const first = await page();
    const [id = ""] = idsIn(first).slice(-1);
    const second = await page("--after", id);

    expect([first.target_parts_remaining, second.target_parts_remaining]).toEqual([2, 1]);
    expect(second.target.content).toMatchObject([{ type: "text", text: texts[1] }]);
    expect(idsIn(second)).not.toContain(id);
    // A program is told the same of the neighbours whichever page it asks for.
    expect([second.before, second.after]).toEqual([first.before, first.after]);
  });

  it("says how to continue, and shows the neighbouring messages on the first page only", async () => {
    const first = await home.pond("get", "s1", "--message", "m2");
    const [, after = ""] = /^2 more parts of it: --after (\S+)\n$/.exec(first.stderr) ?? [];
    const second = await home.pond("get", "s1", "--message", "m2", "--after", after);
    const [, last = ""] = /^1 more part of it: --after (\S+)\n$/.exec(second.stderr) ?? [];
    const third = await home.pond("get", "s1", "--message", "m2", "--after", last);

    const shown = [first, second, third].map(({ stdout }) =>
      [...texts, "before it", "after it"].map((text) => stdout.includes(text)),
    );
    expect(shown).toEqual([
      [true, false, false, true, true],
      [false, true, false, false, false],
      [false, false, true, false, false],
    ]);
    expect(third.stderr).toBe("");
  });

  it("shows the neighbouring messages again with --context", async () => {
    const [id = ""] = idsIn(await page());

    const { stdout } = await home.pond(
      ...["get", "s1", "--message", "m2", "--after", id, "--context", "1"],
    );

    expect(stdout).toContain("before it");
    expect(stdout).toContain("after it");
  });

  it("limits the neighbouring messages in JSON, but not in text", async () => {
    const json = await home.pond("get", "long", "--message", "n5", "--context", "5", "--json");
    const text = await home.pond("get", "long", "--message", "n5", "--context", "5");

    const { before, after, context_cut } = JSON.parse(json.stdout);
    const idsOf = (messages: { id: string }[]) => messages.map(({ id }) => id);
    expect([idsOf(before), idsOf(after), context_cut]).toEqual([["n3", "n4"], ["n6"], true]);
    expect(text.stdout.match(/ n\d+$/gm)).toHaveLength(11);
  });

  it("refuses to continue after a part that the message does not hold", async () => {
    const { code, stderr } = await home.pond("get", "s1", "--message", "m2", "--after", "m1");

    expect([code, stderr]).toEqual([1, expect.stringContaining("message m2 holds no part m1")]);
  });
});

it("pond get says that a message's parts are lost when their table was set back", async () => {
  const other = new Home();
  onTestFinished(() => other.remove());
  const parts = join(other.folder, ".local/share/pond/default/parts.lance");
  other.writeSession("s1", line("s1", "m1", "herons"));
  await other.pond("sync", "-q");
  cpSync(parts, `${parts}.before`, { recursive: true });
  other.writeSession("s1", line("s1", "m1", "herons"), line("s1", "m2", "wait"));
  await other.pond("sync", "-q");
  rmSync(parts, { recursive: true });
  cpSync(`${parts}.before`, parts, { recursive: true });

  const { stdout } = await other.pond("get", "s1");
  const { messages } = JSON.parse((await other.pond("get", "s1", "--json")).stdout);
  const page = await other.pond("get", "s1", "--format", "markdown");

  expect(page.stdout).toContain("*What this message held is lost in this store*");
  expect(stdout).toMatch(/ {2}m2\n {2}its parts are lost: .*`pond sync --verify`/);
  expect(messages.map(({ damaged }: { damaged?: true }) => damaged)).toEqual([undefined, true]);
});
