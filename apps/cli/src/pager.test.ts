import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Output } from "./output/output.ts";
import { safeText } from "./output/safe-text.ts";
import { withPager } from "./pager.ts";
import { Home, line } from "./testing.ts";

let home: Home;
let seen: string;
beforeAll(async () => {
  home = new Home();
  // Long enough that no pipe takes all of it.
  const long = Array.from({ length: 400 }, (_, at) =>
    line("long", `m${at}`, `number ${at} ${"x".repeat(2_000)}`),
  );
  home.writeSession("long", ...long);
  home.writeSession("short", line("short", "only", "all of it \u001b[31m"));
  await home.pond("sync", "-q");
});
afterAll(() => home.remove());
beforeEach(() => {
  seen = join(home.folder, `seen-${Math.random()}`);
});

/** A pager on the PATH, which finds in `$SEEN` where to write. */
function pager(name: string, script: string): void {
  chmodSync(home.write(`bin/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
}

const env = () => ({
  PATH: `${join(home.folder, "bin")}:${process.env["PATH"]}`,
  ...{ TERM: "xterm", SEEN: seen, NO_COLOR: "1" },
});

/** The command at a terminal of 80 columns and 24 lines. */
function atTerminal(more: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  return home.pondWith({ isTerminal: true, env: { ...env(), ...more } }, ...argv);
}

function terminalOutput(): Output {
  const sink = { isTTY: true, columns: 80, rows: 24, write: () => undefined };
  const flags = { isJson: false, isQuiet: false, isVerbose: false, isColorAllowed: false };
  return new Output({ stdout: sink, stderr: sink, env: {}, ...flags });
}

const read = (): string => (existsSync(seen) ? readFileSync(seen, "utf8") : "");

describe("pond get at a terminal", () => {
  it("hands output longer than the screen to `less`, in its secure mode", async () => {
    pager("less", 'echo "$LESS $LESSSECURE $# $0" > "$SEEN"; cat >> "$SEEN"');

    const { code, stdout, stderr } = await atTerminal({}, "get", "long");

    const [first, ...rest] = read().split("\n");
    expect([code, stdout, stderr]).toEqual([0, "", ""]);
    expect(first).toBe(`FRX 1 0 ${join(home.folder, "bin", "less")}`);
    expect(rest.join("\n")).toBe((await home.pond("get", "long")).stdout);
  });

  it.each([
    ["POND_PAGER rather than PAGER", { POND_PAGER: "mine -x", PAGER: "other" }, "1 -x unset"],
    ["PAGER, with LESS as the user set it", { PAGER: "mine", LESS: "M" }, "0  M"],
    ["a shell command line", { PAGER: "mine 'a b' | cat" }, "1 a b unset"],
  ])("starts as the pager %s", async (_, env, expected) => {
    pager("mine", 'echo "$# $1 $' + '{LESS#FRX}" > "$SEEN"; cat > /dev/null');

    const { code } = await atTerminal(env, "get", "long");

    expect([code, read().trim()]).toEqual([0, expected.replace(" unset", "").trim()]);
  });

  it("pages with --format the same text that it prints without a pager", async () => {
    pager("mine", 'cat > "$SEEN"');

    await atTerminal({ PAGER: "mine" }, "get", "long", "--format", "markdown");

    expect(read()).toBe((await home.pond("get", "long", "--format", "markdown")).stdout);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ["that fits the screen", {}, ["get", "short"]],
    ["with --no-pager", {}, ["get", "long", "--no-pager"]],
    ["with an empty POND_PAGER", { POND_PAGER: "" }, ["get", "long"]],
    ["with POND_PAGER=cat", { POND_PAGER: "cat" }, ["get", "long"]],
    ["with --json", {}, ["get", "long", "--json"]],
    ["on a dumb terminal", { TERM: "dumb" }, ["get", "long"]],
  ])("prints directly, without a pager, output %s", async (_, env, argv) => {
    pager("mine", 'cat > "$SEEN"');

    const { code, stdout, stderr } = await atTerminal({ PAGER: "mine", ...env }, ...argv);

    const piped = await home.pond(...argv);
    expect([code, stderr, existsSync(seen)]).toEqual([0, "", false]);
    expect(stdout).toBe(piped.stdout);
  });

  it.each([
    ["a program", "no-such-pager"],
    ["a shell command line", "no-such-pager 2>/dev/null '-x'"],
  ])("prints directly, and warns, when the pager does not exist: %s", async (_, named) => {
    const { code, stdout, stderr } = await atTerminal({ PAGER: named }, "get", "long");

    expect(code).toBe(0);
    expect(stderr.replaceAll(/\s/g, " ")).toBe(
      `warning: the pager ${named} cannot be started: see POND_PAGER and PAGER `,
    );
    expect(stdout).toBe((await home.pond("get", "long")).stdout);
  });

  it("ends quietly when the person quits early", async () => {
    pager("mine", 'head -c 100 > "$SEEN"');

    const { code, stdout, stderr } = await atTerminal({ PAGER: "mine" }, "get", "long");

    expect([code, stdout, stderr]).toEqual([0, "", ""]);
    expect(read()).toHaveLength(100);
  });

  it("produces no more output once the pager has quit", async () => {
    pager("mine", 'head -c 100 > "$SEEN"');
    const output = terminalOutput();
    let lines = 0;

    // Without an end, as no session is.
    await withPager(
      { output, env: { ...env(), PAGER: "mine" } },
      true,
      async (paged, waitForReader) => {
        for (; await waitForReader(); lines += 1) paged.line(safeText("x".repeat(1_000)));
      },
    );

    expect(lines).toBeGreaterThan(24);
    expect(read()).toHaveLength(100);
  });

  it("exits as interrupted when Ctrl-C ended the pager", async () => {
    pager("mine", "kill -INT $$");

    const { code, stderr } = await atTerminal({ PAGER: "mine" }, "get", "long");

    expect([code, stderr]).toEqual([130, "Stopped.\n"]);
    expect(process.listenerCount("SIGINT")).toBe(0);
  });
});
