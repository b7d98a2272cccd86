import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Home, line } from "../testing.ts";

// In pieces, or scanners would take this file for a leak.
const token = ["ghp", "a1B2c3D4".repeat(5).slice(0, 36)].join("_");

let home: Home;
let file: string;
beforeAll(async () => {
  home = new Home();
  const call = { type: "tool_use", id: "t1", name: "Bash", input: { command: `echo ${token}` } };
  const result = { type: "tool_result", tool_use_id: "t1", content: `printed ${token}` };
  home.writeSession(
    "s1",
    line("s1", "m1", `use ${token}`, { cwd: "/home/alice/work" }),
    line("s1", "m2", "", {
      ...{ type: "assistant", parentUuid: "m1", cwd: "/home/alice/work" },
      message: { role: "assistant", id: "a", model: "x", content: [call] },
    }),
    line("s1", "m3", "", {
      ...{ parentUuid: "m2", cwd: "/home/alice/work" },
      message: { role: "user", content: [result] },
    }),
    line("s1", "m4", "\u001b[31mred", { parentUuid: "m3", cwd: "/home/alice/work" }),
  );
  await home.pond("sync", "-q");
});
afterAll(() => home.remove());
let count = 0;
beforeEach(() => {
  file = join(home.folder, `page-${count++}`);
});

const replaced = { rule: "github-token", count: 3 };

describe("pond get --format", () => {
  it.each([
    ["markdown", /^# use ghp_/],
    ["html", /^<!doctype html>/i],
  ])(
    "prints a whole session as %s, with control characters made harmless",
    async (format, start) => {
      const { code, stdout, stderr } = await home.pond("get", "s1", "--format", format);

      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout.replaceAll("\\", "")).toMatch(start);
      expect(stdout).toContain(`printed ${token}`);
      expect(stdout).toContain("␛[31mred");
    },
  );

  it("leaves out tool results with --mode conversational", async () => {
    const { stdout } = await home.pond(
      ...["get", "s1", "--format", "markdown", "--mode", "conversational"],
    );

    expect([stdout.includes(`use ${token}`), stdout.includes("printed")]).toEqual([true, false]);
  });

  it("writes a file that only its owner can read, and prints its path and size", async () => {
    const { code, stdout, stderr } = await home.pond(
      ...["get", "s1", "--format", "html", "--out", file, "--redact"],
    );

    const html = readFileSync(file, "utf8");
    expect([code, stderr]).toEqual([0, "Replaced 3 secrets (3 github-token).\n"]);
    expect(stdout).toMatch(/^~\/page-\d+: \d+\.\d kB of HTML\.\n$/);
    expect([html.includes(token), html.includes("[redacted 1: github-token]")]).toEqual([
      false,
      true,
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("prints exactly the JSON that scripts rely on", async () => {
    const { stdout, stderr } = await home.pond(
      ...["get", "s1", "--format", "markdown", "--out", file, "--redact", "--json"],
    );

    const bytes = readFileSync(file).length;
    expect(JSON.parse(stdout)).toEqual({ file, bytes, format: "markdown", redacted: [replaced] });
    expect(stderr).toBe("");
  });

  it("replaces a file only with --force, and leaves no other file beside it", async () => {
    writeFileSync(file, "mine");
    const argv = ["get", "s1", "--format", "html", "--out", file];
    const before = readdirSync(home.folder);

    const refused = await home.pond(...argv, "--json");
    expect(readFileSync(file, "utf8")).toBe("mine");
    const forced = await home.pond(...argv, "--force");

    expect(JSON.parse(refused.stdout).error.details).toEqual({ path: file, kind: "target_exists" });
    expect([refused.code, forced.code]).toEqual([1, 0]);
    expect(readdirSync(home.folder)).toEqual(before);
  });

  it("writes through a dangling link with --force", async () => {
    symlinkSync(`${file}-behind`, file);

    const { code } = await home.pond("get", "s1", "--format", "html", "--out", file, "--force");

    expect([code, readlinkSync(file)]).toEqual([0, `${file}-behind`]);
    expect(readFileSync(`${file}-behind`, "utf8")).toMatch(/^<!doctype html>/i);
  });

  it("creates no file when it fails", async () => {
    const argv = ["--format", "html", "--out", file];

    const noSession = await home.pond("get", "no-such", ...argv);
    const noFolder = await home.pond("get", "s1", "--format", "html", "--out", `${file}/a.html`);

    expect([noSession.code, noFolder.code, existsSync(file)]).toEqual([1, 2, false]);
    expect(noFolder.stderr).toContain("is not a folder: create it first");
    symlinkSync(file, file);
    const loop = await home.pond("get", "s1", ...argv);
    expect([loop.code, loop.stderr]).toEqual([2, expect.stringContaining("(ELOOP): name another")]);
  });

  it.each([
    [["--format", "html", "--json"], "with --json, --format needs --out FILE"],
    [
      ["--format", "html", "--message", "m1"],
      "--format is for a whole session: leave --message out",
    ],
    [["--out", "a.html"], "--out needs --format"],
    [["--force"], "--force needs --out"],
    [
      ["--format", "html", "--out", ""],
      "option '--out <file>' argument '' is invalid. It is empty",
    ],
    [["--user-names"], "--user-names needs --redact"],
  ])("refuses %j", async (argv, message) => {
    const { code, stderr } = await home.pond("get", "s1", ...argv);

    expect([code, stderr.includes(message)]).toEqual([2, true]);
  });
});

describe("pond get --redact", () => {
  it.each<[string, readonly string[]]>([
    ["text", []],
    ["a message", ["--message", "m3"]],
    ["a page of JSON", ["--json", "--mode", "verbatim"]],
    ["a message as JSON", ["--json", "--message", "m2"]],
  ])("replaces secrets in %s, and counts them on stderr", async (_, argv) => {
    const { code, stdout, stderr } = await home.pond("get", "s1", "--redact", ...argv);

    expect([code, stdout.includes(token), stdout.includes("[redacted 1: github-token]")]).toEqual([
      ...[0, false, true],
    ]);
    expect(stderr).toMatch(/^Replaced (\d) secrets? \(\1 github-token\)\.\n$/);
  });

  it("keeps session and message ids, and hides user names with --user-names", async () => {
    const argv = ["get", "s1", "--redact", "--user-names", "--json", "--mode", "verbatim"];
    const { stdout } = await home.pond(...argv);

    const { session, messages } = JSON.parse(stdout);
    expect(session).toMatchObject({ id: "s1", project: "/home/[redacted 1: user-name]/work" });
    expect(messages.map(({ id }: { id: string }) => id)).toEqual(["m1", "m2", "m3", "m4"]);
    expect(messages[2].content[0]).toMatchObject({ session_id: "s1", message_id: "m3" });
  });
});
