import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { shellLine } from "../shell-words.ts";
import { fixtures, Home, line } from "../testing.ts";

const samples = join(fixtures, "samples", "claude-code");
const ledger = "c5e1b000-3f0a-4d7e-8b21-6a9d4e2f1c02";
const log = `.claude/projects/-home-ada-ledger/${ledger}.jsonl`;

const said = {
  role: "user",
  content: [{ type: "text", text: "hello" }],
  timestamp: 1795165200000,
};
const agentOf = ({ source_agent }: { readonly source_agent: string }): string => source_agent;
const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((each) => JSON.parse(each));

let home: Home;
beforeAll(async () => {
  home = new Home();
  await home.pond("sync", "claude-code", "--path", samples);
});
afterAll(() => home.remove());

describe("pond resume", () => {
  it("restores into the client's home and prints the exact command", async () => {
    const { code, stdout, stderr } = await home.pond("resume", "c5e1");

    expect([code, stdout]).toEqual([0, `cd /home/ada/ledger && claude --resume ${ledger}\n`]);
    expect(stderr).toContain("Restored for claude-code: ");
    expect(existsSync(join(home.folder, log))).toBe(true);
  });

  it("draws its progress on a terminal, and removes it at the end", async () => {
    const argv = ["resume", ledger, "--to", "codex"];
    const { code, stdout, stderr } = await home.pondWith({ isTerminal: true }, ...argv);
    const quiet = await home.pondWith({ isTerminal: true }, ...argv, "-q");

    expect([code, stdout]).toEqual([0, expect.not.stringContaining("restoring")]);
    expect(stderr).toMatch(/restoring {2}0\.\d s/);
    expect(stderr.lastIndexOf("\x1b[J")).toBeGreaterThan(stderr.lastIndexOf("restoring"));
    expect(quiet.stderr).not.toContain("restoring");
  });

  it("leaves an existing session alone unless --force is given", async () => {
    await home.pond("resume", ledger, "-q");
    const file = join(home.folder, log);
    const restored = readFileSync(file, "utf8");
    writeFileSync(file, `${restored}{"type":"mode"}\n`);

    const again = await home.pond("resume", ledger);
    const kept = readFileSync(file, "utf8");
    const forced = await home.pond("resume", ledger, "--force", "-q");

    expect([again.code, kept]).toEqual([0, `${restored}{"type":"mode"}\n`]);
    expect(again.stderr).toContain("Already there, and left as it is");
    expect(again.stdout).toBe(forced.stdout);
    expect(readFileSync(file, "utf8")).toBe(restored);
  });

  it("restores a session beside its fork, and never changes the fork", async () => {
    const other = new Home();
    const { id, log, fork, forkLines } = await other.syncFork();
    rmSync(log);
    const longer = `${forkLines}${line("fork", "f3", "typed since the last sync")}\n`;
    writeFileSync(fork, longer);

    const resumed = await other.pond("resume", id);
    const forced = await other.pond("resume", id, "--force", "--json");

    expect([resumed.code, resumed.stderr]).toEqual([
      0,
      expect.stringContaining("1 file of another session was there already and stays."),
    ]);
    expect(resumed.stderr).toContain(
      `Restored for claude-code: ${log.replace(other.folder, "~")}\n`,
    );
    expect([existsSync(log), readFileSync(fork, "utf8")]).toEqual([true, longer]);
    expect(forced.code).toBe(0);
    expect(JSON.parse(forced.stdout)).toMatchObject({ written: true, left_as_is: [fork] });
    other.remove();
  });

  it("reports everything in JSON", async () => {
    const other = new Home();
    await other.pond("sync", "claude-code", "--path", samples);

    const { code, stdout } = await other.pond("resume", ledger, "--json");

    const report = JSON.parse(stdout);
    expect([code, report]).toEqual([
      0,
      {
        session_id: ledger,
        asked_id: ledger,
        to: "claude-code",
        native: true,
        files: expect.arrayContaining([join(other.folder, log)]),
        written: true,
        left_as_is: [],
        faults: [],
        refused: [],
        outdated: false,
        fidelity: expect.objectContaining({ text: expect.any(Object) }),
        directory: "/home/ada/ledger",
        commands: [["claude", "--resume", ledger]],
        command: `cd /home/ada/ledger && claude --resume ${ledger}`,
      },
    ]);
    other.remove();
  });

  it("starts the client with --run, in the session's directory and without a shell", async () => {
    const other = new Home();
    const project = join(other.folder, "pro'ject; $(touch x)");
    mkdirSync(project);
    other.write("bin/claude", '#!/bin/sh\necho "$@" > "$PWD/started"\nexit 0\n');
    chmodSync(join(other.folder, "bin/claude"), 0o755);
    const id = "5e551000-0000-4000-8000-000000000001";
    const row = { type: "user", uuid: "u", parentUuid: null, sessionId: id, cwd: project };
    const said = {
      timestamp: "2026-11-20T09:00:00.000Z",
      message: { role: "user", content: "hi" },
    };
    other.write(`.claude/projects/-work/${id}.jsonl`, `${JSON.stringify({ ...row, ...said })}\n`);
    await other.pond("sync");

    const path = `${join(other.folder, "bin")}:${other.env["PATH"]}`;
    const { code } = await other.spawn(["resume", id, "--run"], { env: { PATH: path } });

    expect(code).toBe(0);
    expect(readFileSync(join(project, "started"), "utf8")).toBe(`--resume ${id}\n`);
    expect(existsSync(join(project, "x"))).toBe(false);
    other.remove();
  });

  it.each(["SIGTERM", "SIGHUP"] as const)(
    "passes %s on to the client that it runs",
    async (signal) => {
      const other = new Home();
      other.write(
        "bin/claude",
        '#!/bin/sh\ntrap \'echo yes > "$PWD/ended"; exit 0\' TERM HUP\ntouch "$PWD/started"\nwhile :; do sleep 0.05; done\n',
      );
      chmodSync(join(other.folder, "bin/claude"), 0o755);
      const id = "5e551000-0000-4000-8000-000000000001";
      other.writeSession(id, line(id, "u", "hi", { cwd: other.folder }));
      await other.pond("sync");

      const path = `${join(other.folder, "bin")}:${other.env["PATH"]}`;
      const { code } = await other.spawn(["resume", id, "--run"], {
        env: { PATH: path },
        onStart: async (child) => {
          await vi.waitUntil(() => existsSync(join(other.folder, "started")), 20_000);
          child.kill(signal);
        },
      });

      expect([code, readFileSync(join(other.folder, "ended"), "utf8")]).toEqual([0, "yes\n"]);
      other.remove();
    },
  );

  it("says when the client or the session's folder is missing", async () => {
    const other = new Home();
    const id = "5e551000-0000-4000-8000-000000000001";
    other.writeSession(id, line(id, "u", "hi", { cwd: other.folder }));
    const synced = [await other.pond("sync")];
    const env = { PATH: "/nowhere" };

    const noClient = await other.pondWith({ env }, "resume", id, "--run");
    const away = "5e552000-0000-4000-8000-000000000001";
    other.writeSession(away, line(away, "u", "hi", { cwd: "/gone" }));
    synced.push(await other.pond("sync"));
    const noFolder = await other.pondWith({ env }, "resume", away, "--run");
    const toldOnly = await other.pond("resume", away, "-q");

    expect(synced.map(({ code }) => code)).toEqual([0, 0]);
    expect([noClient.code, noClient.stderr]).toEqual([
      1,
      expect.stringContaining("error: claude is not on the PATH: install it, or run the command"),
    ]);
    expect([noFolder.code, noFolder.stderr]).toEqual([
      1,
      expect.stringContaining("error: the session's folder /gone is not on this machine"),
    ]);
    expect(toldOnly).toEqual({
      code: 0,
      stdout: `cd /gone && claude --resume ${away}\n`,
      stderr: "warning: the session's folder /gone is not on this machine: create it first\n",
    });
    other.remove();
  });

  it("writes for the folder behind a link, which is the path that another client would use", async () => {
    const other = new Home();
    const real = realpathSync(mkdtempSync(join(other.folder, "real-")));
    symlinkSync(real, join(other.folder, "link"));
    const id = "019d9a10-0000-7000-8000-000000000001";
    const timestamp = "2026-11-20T09:00:00.000Z";
    const rows = [
      { type: "session", version: 3, id, timestamp, cwd: join(other.folder, "link") },
      { type: "message", id: "a1", parentId: null, timestamp, message: said },
    ];
    other.write(
      `.pi/agent/sessions/--link--/2026-11-20T09-00-00-000Z_${id}.jsonl`,
      rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
    await other.pond("sync", "-q");

    const { code, stdout } = await other.pond("resume", id, "--to", "claude-code", "-q");

    const slug = real.replaceAll(/[^A-Za-z0-9]/g, "-");
    const [copy = ""] = readdirSync(join(other.folder, ".claude/projects", slug));
    expect([code, stdout]).toEqual([
      0,
      `${shellLine(["cd", real])} && claude --resume ${copy.replace(".jsonl", "")}\n`,
    ]);
    const log = readFileSync(join(other.folder, ".claude/projects", slug, copy), "utf8");
    expect(jsonLines(log).map(({ cwd }) => cwd)).toContain(real);
    expect(log).not.toContain(join(other.folder, "link"));
    other.remove();
  });

  it("restores natively a session that was forked in another client (`adapter-native-restore-lossless`)", async () => {
    const other = new Home();
    const { id, log, fork } = other.writeForkInOmp();
    const read = () => [log, fork].map((file) => jsonLines(readFileSync(file, "utf8")));
    const before = read();
    await other.pond("sync", "-q");
    const resume = async () => JSON.parse((await other.pond("resume", id, "--json")).stdout);
    const report = { native: true, files: [log, fork], left_as_is: [], faults: [] };

    rmSync(log);
    rmSync(fork);
    const both = await resume();
    rmSync(log);
    const one = await resume();
    const none = await resume();

    expect(both).toMatchObject({ ...report, written: true });
    expect(one).toMatchObject({ ...report, written: true, left_as_is: [fork] });
    expect(none).toMatchObject({ ...report, written: false, files: [log], outdated: false });
    expect(read()).toEqual(before);
    other.remove();
  });

  it("warns of a client below the session that has no folder here", async () => {
    const other = new Home();
    const { id, log, forkId } = other.writeForkInOmp();
    const below = { parent_spawn_ref: { parent_session_id: forkId, tool_call_id: "t1" } };
    const agent = { session_id: "agent", agent_id: "a", created_at: "2026-11-20T09:00:00Z" };
    other.write("phi/agent.json", JSON.stringify({ ...agent, ...below, loops: [] }));
    await other.pond("sync", "-q");
    await other.pond("sync", "phi-core", "--path", join(other.folder, "phi"), "-q");
    rmSync(log);

    const { code, stderr } = await other.pond("resume", id);

    expect([code, existsSync(log)]).toEqual([0, true]);
    expect(stderr).toContain("warning: agent: phi-core has no folder of its own here");
    other.remove();
  });

  it("leaves another client's fork alone when it brings a copy for that client up to date", async () => {
    const other = new Home();
    const { id, log, fork } = other.writeForkInOmp();
    await other.pond("sync", "-q");
    rmSync(fork);
    const first = JSON.parse((await other.pond("resume", id, "--to", "omp", "--json")).stdout);
    // What is there is the client's, even where the store holds more of it.
    const earlier = readFileSync(fork, "utf8").replace(/[^\n]*\n$/, "");
    writeFileSync(fork, earlier);
    const message = { role: "user", content: "the last turn", timestamp: 1 };
    const said = { type: "message", id: "b4", parentId: "b3", message };
    appendFileSync(log, `${JSON.stringify({ ...said, timestamp: "2026-11-20T09:00:00.000Z" })}\n`);
    await other.pond("sync", "pi", "-q");

    const grown = JSON.parse((await other.pond("resume", id, "--to", "omp", "--json")).stdout);

    expect([first.native, first.left_as_is]).toEqual([false, []]);
    expect([grown.written, grown.left_as_is]).toEqual([true, [fork]]);
    expect(readFileSync(first.files[0], "utf8")).toContain("the last turn");
    expect(readFileSync(fork, "utf8")).toBe(earlier);
    other.remove();
  });

  it("makes copies that list and search leave out until somebody continues one", async () => {
    const other = new Home();
    const id = "5e551000-0000-4000-8000-000000000001";
    other.writeSession(id, line(id, "u", "a coupon that expires early"));
    await other.pond("sync", "-q");
    for (const to of ["codex", "opencode", "pi", "omp"]) {
      expect((await other.pond("resume", id, "--to", to, "-q")).code).toBe(0);
    }
    await other.pond("restore", id, "--to", "phi-core", "--out", join(other.folder, "phi"));
    await other.pond("sync", "-q");
    await other.pond("sync", "phi-core", "--path", join(other.folder, "phi"), "-q");
    const found = async (...argv: readonly string[]): Promise<string[]> => {
      const [listed, searched] = [
        await other.pond("list", ...argv, "--json"),
        await other.pond("search", "coupon", ...argv, "--json"),
      ];
      const agents: string[] = JSON.parse(searched.stdout).sessions.map(agentOf).sort();
      expect(agents).toEqual(jsonLines(listed.stdout).map(agentOf).sort());
      return agents;
    };

    const all = jsonLines((await other.pond("list", "--all", "--json")).stdout);
    const once = await found();
    const narrowed = await found("--agent", "pi");
    const [copy = ""] = readdirSync(join(other.folder, ".codex"), { recursive: true })
      .map(String)
      .filter((path) => path.endsWith(".jsonl"));
    const content = [{ type: "input_text", text: "and the coupon mails?" }];
    const payload = { type: "message", role: "user", content };
    appendFileSync(
      join(other.folder, ".codex", copy),
      `${JSON.stringify({ timestamp: "2026-11-21T09:00:00.000Z", type: "response_item", payload })}\n`,
    );
    await other.pond("sync", "-q");

    expect([all.length, once, narrowed]).toEqual([6, ["claude-code"], ["pi"]]);
    expect(await found()).toEqual(["claude-code", "codex"]);
    other.remove();
  });

  it.each(["codex", "opencode", "pi", "omp"])(
    "brings a copy for %s up to date, unless somebody continued it",
    async (to) => {
      const other = new Home();
      const id = "5e551000-0000-4000-8000-000000000001";
      const log = other.writeSession(id, line(id, "u1", "the first turn"));
      const grow = (uuid: string, parentUuid: string | null, text: string): void => {
        appendFileSync(log, `${line(id, uuid, text, { parentUuid })}\n`);
      };
      const resume = async () => {
        await other.pond("sync", "claude-code", "-q");
        const { code, stdout, stderr } = await other.pond("resume", id, "--to", to, "--json");
        const report = JSON.parse(stdout);
        return { code, stderr, report, copy: readFileSync(report.files[0], "utf8") };
      };

      const first = await resume();
      const same = await resume();
      grow("u2", "u1", "the second turn");
      const grown = await resume();
      appendFileSync(first.report.files[0], '{"type":"added"}\n');
      const goneOn = await resume();
      grow("u3", "u2", "the third turn");
      const outdated = await resume();
      const forced = await other.pond("resume", id, "--to", to, "--force", "--json");

      const facts = ({ code, report: { written, outdated, fidelity } }: typeof first) => [
        ...[code, written, outdated, fidelity === null],
      ];
      expect([first, same, grown, goneOn, outdated].map(facts)).toEqual([
        [0, true, false, false],
        [0, false, false, true],
        [0, true, false, false],
        [0, false, false, true],
        [0, false, true, true],
      ]);
      expect(grown.copy).toContain("the first turn");
      expect(grown.copy).toContain("the second turn");
      expect(outdated.copy).toBe(`${grown.copy}{"type":"added"}\n`);
      expect(outdated.stderr).toContain(
        "may lack what came later in the session: --force replaces",
      );
      expect([goneOn.stderr, forced.stderr].join()).not.toContain("may lack");
      expect(readFileSync(first.report.files[0], "utf8")).toContain("the third turn");
      other.remove();
    },
  );

  it.each([
    ["resume", ["resume"]],
    ["restore --install", ["restore", "--install"]],
  ])(
    "brings a copy made by %s up to date even if its last line has changed by then",
    async (_, command) => {
      const other = new Home();
      const id = "01a70000-0000-7000-8000-000000000001";
      const at = "2026-03-01T09:00:00.000Z";
      const log = join(
        other.folder,
        ".pi/agent/sessions/--w--",
        `2026-03-01T09-00-00-000Z_${id}.jsonl`,
      );
      const say = (entry: string, parentId: string | null, content: string): void => {
        const message = { role: "user", content, timestamp: 1 };
        const said = { type: "message", id: entry, parentId, timestamp: at, message };
        appendFileSync(log, `${JSON.stringify(said)}\n`);
      };
      const to = [id, "--to", "claude-code", "--json"];
      const resume = async () => {
        const { stdout } = await other.pond("resume", ...to);
        const { files, written, outdated } = JSON.parse(stdout);
        return { file: files[0], facts: [written, outdated] };
      };
      mkdirSync(dirname(log), { recursive: true });
      writeFileSync(
        log,
        `${JSON.stringify({ type: "session", version: 3, id, timestamp: at, cwd: "/w" })}\n`,
      );

      say("aaaaaaaa", null, "the first turn");
      await other.pond("sync", "pi", "-q");
      await other.pond(...command, ...to);
      say("bbbbbbbb", "aaaaaaaa", "the second turn");
      await other.pond("sync", "pi", "-q");
      const grown = await resume();
      appendFileSync(grown.file, '{"type":"added"}\n');
      say("cccccccc", "bbbbbbbb", "the third turn");
      await other.pond("sync", "pi", "-q");
      const outdated = await resume();

      expect([grown, outdated].map(({ facts }) => facts)).toEqual([
        [true, false],
        [false, true],
      ]);
      expect(readFileSync(grown.file, "utf8")).toMatch(/the second turn.*added/s);
      other.remove();
    },
  );

  it.each([
    [["resume"], 2, "missing required argument"],
    [["resume", ledger, "--to", "claud"], 2, "claude-code"],
    [["resume", "nothing-begins-so"], 1, "nothing-begins-so"],
    [["resume", ledger, "--run", "--json"], 2, "does not go with --json"],
  ])("refuses %j", async (argv, status, message) => {
    const { code, stderr } = await home.pond(...argv);

    expect([code, stderr]).toEqual([status, expect.stringContaining(message)]);
  });
});
