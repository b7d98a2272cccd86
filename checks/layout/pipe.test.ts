import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addClients, addHardSessions, createHome, type Home, hardSession } from "./home.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const styles = /\x1b\[(?:[127]|22|27|3[0-9])m/g;
const session = hardSession(6);

describe("pond with its output in a pipe", () => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
    addClients(home);
    addHardSessions(home);
    expect(pond(["sync"]).stderr).toBe("");
  }, 60_000);
  afterAll(() => home.remove());

  const plain = new Map<string, ReturnType<typeof pond>>();
  /** The same command is run only once. */
  function plainly(argv: readonly string[]) {
    const key = argv.join(" ");
    const said = plain.get(key) ?? pond(argv);
    plain.set(key, said);
    return said;
  }

  function pond(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { status, stdout, stderr } = spawnSync(`${home.folder}/bin/pond`, argv, {
      env: { ...home.env, TERM: "xterm-256color", ...env },
      encoding: "utf8",
    });
    return { code: status, stdout, stderr };
  }

  // Output for scripts is on stdout; remarks for people are on stderr.
  it.each<[name: string, argv: readonly string[], stdout: RegExp, stderr: RegExp]>([
    ["init", ["init", "--dry-run"], /\nSchedule: to be started.*\n\nNothing was written/, /^$/],
    ["sync", ["sync"], /^claude-code {2}12 sessions, nothing new\n/, /^$/],
    ["search", ["search", "heron"], /^ 1 {2}.*heron/s, /^7 sessions found in .* ms\.\n$/],
    ["list", ["list"], /^SESSION .*\n(?:.*\n){15}$/, /^15 sessions\.\n$/],
    ["status", ["status"], /19 sessions/, /^$/],
    ["get", ["get", session], /^Session .*\n.*\/work\/hostile/, /^$/],
    [
      "resume",
      ["resume", session],
      new RegExp(`^.*claude --resume ${session}\n$`),
      /^warning: the session's folder .* is not on this machine: create it first\nAlready/,
    ],
  ])(
    "prints plain text for %s, results on stdout and remarks on stderr",
    (_, argv, stdout, stderr) => {
      const said = plainly(argv);

      expect(said.code).toBe(0);
      expect(said.stdout).toMatch(stdout);
      expect(said.stderr).toMatch(stderr);
      expect(`${said.stdout}${said.stderr}`).not.toMatch(controls);
    },
  );

  it("prints a session's id and folder in full, however long", () => {
    const { stdout } = plainly(["list"]);

    expect(stdout).toContain(hardSession(4));
    expect(stdout).toContain("a-very-long-project-name-indeed/packages/reeds");
    expect(stdout).not.toContain("…/");
  });

  it.each([[["list"]], [["search", "heron"]], [["get", session]]])(
    "prints only pond's own colours when FORCE_COLOR asks for them: %j",
    (argv) => {
      const { stdout } = pond(argv, { FORCE_COLOR: "1" });

      expect(stdout).toMatch(styles);
      expect(stdout.replaceAll(styles, "")).toBe(plainly(argv).stdout);
    },
  );

  it("asks nothing during init, and says that it does everything as with --yes", () => {
    const { code, stderr } = pond(["init", "--no-mcp", "--no-schedule", "--no-sync"]);

    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^There is no terminal to ask at, so pond does everything, as with --yes\./,
    );
  });
});
