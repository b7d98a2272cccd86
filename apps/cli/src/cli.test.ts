import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Home, line } from "./testing.ts";
import { startOf } from "./testing-start.ts";

// Everything here starts the real command, but where only what it prints is looked at.
const hostileText = "look \x1b]0;owned\x07\x1b[2J\u202e at \x9b2J\x7f\u2066 this";

let home: Home;
beforeAll(async () => {
  home = new Home();
  home.writeSession(
    "hostile",
    line("hostile", "m1", hostileText, {
      cwd: "/work/\x1b[31mred",
    }),
  );
  expect(await home.spawn(["sync", "-q"])).toEqual({ code: 0, stdout: "", stderr: "" });
});
afterAll(() => home.remove());

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe("the pond process", () => {
  it.each([
    ["success", ["status"], 0],
    ["success: nothing found", ["search", "zzzz"], 0],
    ["success: help", ["--help"], 0],
    ["a failure: no such session", ["get", "zzz"], 1],
    ["a failure: no store", ["list", "--namespace", "other"], 1],
    ["wrong usage: unknown command", ["snyc"], 2],
    ["wrong usage: unknown flag", ["list", "--limt", "3"], 2],
    ["wrong usage: surplus argument", ["status", "more"], 2],
    ["wrong usage: no command", [], 2],
    ["wrong usage: unusable namespace", ["list", "--namespace", "../x"], 2],
  ])("exits with the code for %s", async (_, argv, expected) => {
    const { code } = await home.spawn(argv);

    expect(code).toBe(expected);
  });

  it.each(["v22.17.1", "v20.20.2"])("names the version that it needs on Node %s", async (old) => {
    const version = `Object.defineProperty(process,"version",{value:"${old}"})`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(version)}`;

    expect(await home.spawn(["list"], { env: { NODE_OPTIONS } })).toEqual({
      ...{ code: 1, stdout: "" },
      stderr: `error: pond needs Node 22.18 or later; this is ${old}\n`,
    });
  });

  it("says where it runs on Windows", async () => {
    const platform = `Object.defineProperty(process,"platform",{value:"win32"})`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(platform)}`;

    expect(await home.spawn(["list"], { env: { NODE_OPTIONS } })).toEqual({
      ...{ code: 1, stdout: "" },
      stderr: "error: pond runs on Linux and macOS; on Windows, run it in WSL\n",
    });
  });

  it.each([
    [["snyc"], "Did you mean sync?"],
    [["list", "--limt", "3"], "Did you mean --limit?"],
    [["models", "lst"], "unknown command 'lst'\nSee `pond models --help`."],
    [["models", "--lst"], "unknown option '--lst'"],
  ])("explains a mistyped command or flag: %j", async (argv, suggestion) => {
    const { stderr } = await home.pond(...argv);

    expect(stderr).toContain(suggestion);
  });

  it.each([
    [[], "name a command; see `pond --help`"],
    [["schedule"], "name a command; see `pond --help`"],
    [["help", "nope"], "there is no command 'nope'; see `pond --help`"],
    [["schedule", "help", "nope"], "there is no command 'nope'; see `pond --help`"],
  ])(
    "says that a command is missing or unknown when it prints help for %j",
    async (argv, message) => {
      const { code, stdout, stderr } = await home.pond(...argv, "--json");
      const said = await home.pond(...argv);

      expect([code, JSON.parse(stdout).error.message]).toEqual([2, message]);
      expect([said.code, said.stdout, said.stderr]).toEqual([2, "", stderr]);
      expect(stderr).toMatch(/^Usage: pond/);
      expect(stderr.includes("error: there is no command 'nope'")).toBe(argv.includes("nope"));
    },
  );

  it.each([[["restore", "hostile"]], [["list", "--project", "."]]])(
    "says that the current folder no longer exists: %j",
    async (argv) => {
      const gone = mkdtempSync(join(home.folder, "gone-"));

      const { code, stderr } = await home.spawn(argv, {
        cwd: gone,
        onStart: () => rmSync(gone, { recursive: true }),
      });

      expect([code, stderr]).toEqual([1, "error: the current folder no longer exists\n"]);
    },
  );

  const homeless = "this user has no home folder; set HOME to a folder";
  const homelessJson = {
    error: {
      code: "validation_failed",
      message: homeless,
      details: { kind: "config_invalid" },
    },
  };
  it.each([
    [["list"], 2, "", `error: ${homeless}\n`],
    [["list", "--json"], 2, `${JSON.stringify(homelessJson)}\n`, `error: ${homeless}\n`],
    [["complete", "fish", "--", "complet"], 0, expect.stringMatching(/^values\ncompletions\t/), ""],
    [["completions", "fish"], 0, expect.stringContaining("complete -c pond"), ""],
  ])(
    "reports a missing home folder, but only if the command needs one: %j",
    async (argv, code, stdout, stderr) => {
      const script = `import os from "node:os";
      import { syncBuiltinESMExports } from "node:module";
      os.homedir = () => { throw new Error("ENOENT"); };
      syncBuiltinESMExports();`;
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(script)}`;

      const finished = await home.spawn(argv, { env: { NODE_OPTIONS } });

      expect(finished).toEqual({ code, stdout, stderr });
    },
  );

  // Node's own way of making folders never comes to an end there.
  it.runIf(process.platform === "linux").each([
    ["its cache", ["--version"], { XDG_CACHE_HOME: "/proc/x" }, ""],
    [
      "the results of a search",
      ["search", "look", "--storage", "~/.local/share/pond"],
      { HOME: "/proc", XDG_STATE_HOME: "/proc/x" },
      "/proc/x/pond/",
    ],
    [
      "the state of a sync",
      ["sync", "claude-code", "--path", "~/.claude", "--storage", "~/other"],
      { HOME: "/proc", XDG_STATE_HOME: "/proc/x" },
      "the next sync reads all of this again",
    ],
  ])(
    "succeeds without hanging when %s cannot be stored anywhere, as below /proc",
    async (_, argv, env, named) => {
      const words = argv.map((word) => word.replace(/^~/, home.folder));
      const finished = await home.spawn(words, {
        env,
        onStart: (child) => setTimeout(() => child.kill("SIGKILL"), 20_000).unref(),
      });

      expect([finished.code, finished.stderr]).toEqual([0, expect.stringContaining(named)]);
    },
    30_000,
  );

  it.runIf(process.platform === "linux").each([
    ["an archive cannot be unpacked", ["import", "~/a.pond"]],
    ["a model cannot be stored", ["models", "download", "multilingual-e5-small"]],
  ])(
    "fails without hanging when %s anywhere",
    async (_, argv) => {
      await home.pond("export", "-o", join(home.folder, "a.pond"), "-q");
      const words = argv.map((word) => word.replace(/^~/, home.folder));

      const { code, stderr } = await home.spawn(words, {
        env: { XDG_CACHE_HOME: "/proc/x" },
        onStart: (child) => setTimeout(() => child.kill("SIGKILL"), 20_000).unref(),
      });

      expect([code, stderr]).toEqual([1, expect.stringContaining("/proc/x")]);
    },
    30_000,
  );

  it("says that temporary files cannot be written, before the engine aborts the process", async () => {
    const folder = join(home.folder, "none");
    const env = { TMPDIR: folder, TMP: folder, TEMP: folder };

    const { code, stderr } = await home.spawn(["sync", "-q"], { env });

    expect([code, stderr]).toEqual([1, expect.stringContaining(`${folder}: temporary files`)]);
    expect(stderr).toContain("set TMPDIR");
  });

  it("prints its version", async () => {
    const manifest = new URL("../package.json", import.meta.url);

    expect((await home.spawn(["--version"])).stdout).toBe(
      `${JSON.parse(readFileSync(manifest, "utf8")).version}\n`,
    );
  });

  it.each([
    ["an unknown flag", ["list", "--limt", "3"], "validation_failed", 2],
    ["an unknown session", ["get", "zzz"], "not_found", 1],
    ["a missing store", ["list", "--namespace", "other"], "not_found", 1],
    ["an unusable namespace", ["list", "--namespace", "../x"], "validation_failed", 2],
  ])("prints one JSON error for %s with --json", async (_, argv, code, exitCode) => {
    const finished = await home.spawn([...argv, "--json"]);

    expect(finished.code).toBe(exitCode);
    expect(finished.stderr).not.toBe("");
    expect(JSON.parse(finished.stdout)).toEqual({
      error: { code, message: expect.any(String), details: expect.any(Object) },
    });
  });

  it.each([[["list"]], [["get", "hostile"]], [["search", "look"]], [["status"]], [["sync"]]])(
    "lets no control character of a session reach the terminal: %j",
    async (argv) => {
      const plain = await home.pond(...argv, "-v");
      const colored = await home.pondWith({ env: { FORCE_COLOR: "1" } }, ...argv, "-v");

      expect(plain.stdout + plain.stderr).not.toMatch(control);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: our own styles
      const others = colored.stdout.replaceAll(/\x1b\[\d+m/g, "");
      expect(others).not.toMatch(control);
      expect(others).not.toContain("\x1b[31mred");
    },
  );

  it.each([
    [["get", "-\x1b]0;owned\x07"]],
    [["list", "--\x9b2J\u202e"]],
    [["sn\x1b[2Jyc"]],
    [["restore", "--at", "\x1b[2J"]],
  ])("lets no control character of the command line reach the terminal: %j", async (argv) => {
    const { code, stderr } = await home.pond(...argv);

    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: .*\n.*See `pond/s)]);
    expect(stderr).not.toMatch(control);
  });

  it.each([
    [["list"]],
    [["get", "hostile"]],
    [["search", "look"]],
    [["get", "no\u202e\x9bsuch"]],
    [["list", "no\u202e\x9bsuch"]],
  ])("escapes control characters in JSON: %j", async (argv) => {
    const { stdout } = await home.pond(...argv, "--json");

    expect(stdout).toMatch(/\\u001b|\\u202e/);
    expect(stdout).not.toMatch(control);
  });

  it("keeps the exact text of a session in JSON", async () => {
    const { stdout } = await home.spawn(["get", "hostile", "--json"]);

    const page = JSON.parse(stdout);
    expect([page.session.project, page.messages[0].text]).toEqual([
      "/work/\x1b[31mred",
      hostileText,
    ]);
  });

  it("uses colours with FORCE_COLOR, and none with --no-color or NO_COLOR", async () => {
    const forced = await home.spawn(["list"], { env: { FORCE_COLOR: "1" } });
    const refused = await home.pondWith({ env: { FORCE_COLOR: "1" } }, "list", "--no-color");
    const piped = await home.spawn(["list"], { env: { NO_COLOR: "1" } });

    expect(forced.stdout).toContain("\x1b[2m");
    expect(refused.stdout + piped.stdout).not.toContain("\x1b");
  });

  it("imports, searches and restores the samples on a machine without sessions", async () => {
    const other = new Home();

    const env = { TMPDIR: other.folder };
    const { code, stdout } = await other.spawn([], { start: startOf("start"), env });

    other.remove();
    expect(code).toBe(0);
    // Once: a process that starts itself again must not have begun to print.
    expect(stdout.match(/No client has sessions here, so these are samples\./g)).toHaveLength(1);
    expect(stdout).toContain(join("share", "pond-demo"));
    expect(stdout).toMatch(/\+63 messages/);
    expect(stdout).toMatch(/\n 1 {2}c5e1b000/);
    expect(stdout).toContain("Restored 1 session in 1 file.");
    expect(stdout).toContain("Try next");
  });

  it("ends without an error when nobody reads its output any more", async () => {
    const env = { ...home.env, TMPDIR: home.folder };
    const child = spawn(process.execPath, [...startOf("start")], { env });
    const said: Buffer[] = [];
    child.stderr.on("data", (data) => said.push(data));
    child.stdout.once("data", () => child.stdout.destroy());

    const [code] = await once(child, "close");

    expect(code).toBe(0);
    expect(String(Buffer.concat(said))).not.toMatch(/error/i);
  });

  it("imports the sessions of this machine if there are some", async () => {
    const env = { TMPDIR: home.folder };
    const { code, stdout } = await home.spawn([], { start: startOf("start"), env });

    expect(code).toBe(0);
    expect(stdout).toContain("$ pond sync\n");
    expect(stdout).not.toContain("demo");
  });
});
