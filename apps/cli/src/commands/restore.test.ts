import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionFromWire } from "@pond/canonical";
import { createIngest, openSessions } from "@pond/sessions";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from "vitest";
import { fixtures, Home, line } from "../testing.ts";

const samples = join(fixtures, "samples", "claude-code");
const ledger = "c5e1b000-3f0a-4d7e-8b21-6a9d4e2f1c02";
const project = "projects/-home-ada-ledger";

let home: Home;
beforeAll(async () => {
  home = new Home();
  await home.pond("sync", "claude-code", "--path", samples);
});
afterAll(() => home.remove());

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), "pond-out-"));
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

/** Every file below a folder with what it holds; records by value, as a restore promises them. */
function tree(folder: string): Record<string, unknown> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file.slice(folder.length + 1), contentOf(file)]),
  );
}

function contentOf(file: string): unknown {
  const text = readFileSync(file, "utf8");
  if (!file.endsWith(".jsonl")) return text;
  return text.split("\n").map((record) => (record === "" ? record : JSON.parse(record)));
}

describe("pond restore", () => {
  it("writes every session back as its client wrote it (`adapter-native-restore-lossless`)", async () => {
    const { code, stdout } = await home.pond("restore", "--all", "--out", out, "--json");

    const { files, faults } = JSON.parse(stdout);
    expect([code, faults]).toEqual([0, []]);
    expect(tree(join(out, "claude-code"))).toEqual(tree(samples));
    expect(files).toHaveLength(Object.keys(tree(samples)).length);
    expect(files[0]).toEqual({
      session_id: expect.any(String),
      path: expect.stringContaining(join(out, "claude-code", "projects")),
      native: true,
      fidelity: expect.objectContaining({ text: expect.any(Object) }),
    });
  });

  it("draws its progress on a terminal", async () => {
    const argv = ["restore", "--all", "--out", out];
    const { stderr } = await home.pondWith({ isTerminal: true }, ...argv);
    const quiet = await home.pondWith({ isTerminal: true }, ...argv, "--force", "-q");

    expect(stderr).toMatch(/restoring {2}.*0\/\d sessions/);
    const one = ["restore", "c5e1", "--out", join(out, "one")];
    const single = await home.pondWith({ isTerminal: true }, ...one);
    expect(single.stderr).toMatch(/restoring {2}0\.\d s/);
    expect(quiet.stderr).toBe("");
  });

  it("adds up, over all files, what another client's files leave out", async () => {
    const argv = ["restore", "--all", "--to", "codex", "--out", out];
    const { stdout } = await home.pond(...argv);
    const { files } = JSON.parse((await home.pond(...argv, "--force", "--json")).stdout);
    const native = await home.pond("restore", "--all", "--out", join(out, "native"));

    const dropped: number[] = files.map(
      ({ fidelity }: { fidelity: { system?: { dropped: number } } }) =>
        fidelity.system?.dropped ?? 0,
    );
    const total = dropped.reduce((sum, count) => sum + count, 0);
    expect(dropped.filter((count) => count > 0).length).toBeGreaterThan(1);
    expect(stdout).toContain(`\nNot carried over: ${total} system`);
    expect(native.stdout).not.toContain("Not carried over");
  });

  it("counts each loss once for a client that keeps a file beside each sub-agent", async () => {
    const other = new Home();
    await other.pond("sync", "omp", "--path", join(fixtures, "omp", "agents", "input"));
    const id = "01a70000-0000-7000-8000-000000000013";
    const lost = (fidelity: Record<string, { dropped: number }>): number =>
      Object.values(fidelity).reduce((sum, { dropped }) => sum + dropped, 0);
    const to = ["--to", "claude-code", "--json"];

    const { files } = JSON.parse((await other.pond("restore", id, ...to, "--out", out)).stdout);
    const resumed = JSON.parse((await other.pond("resume", id, ...to)).stdout);

    const all: number[] = files.map(({ fidelity }: typeof resumed) => lost(fidelity));
    expect(files.length).toBeGreaterThan(2);
    expect(all.reduce((sum, each) => sum + each, 0)).toBe(lost(resumed.fidelity));
    other.remove();
  });

  it("writes one session with its sub-agents directly into the folder", async () => {
    const { code, stdout } = await home.pond("restore", "c5e1", "--out", out);

    const own = Object.entries(tree(samples)).filter(([path]) => path.startsWith(project));
    expect(code).toBe(0);
    expect(tree(out)).toEqual(Object.fromEntries(own));
    expect(stdout).toMatch(/\nRestored 2 sessions in \d files\.\n$/);
  });

  it("restores a session and its sub-agent once when both are named", async () => {
    const { stdout } = await home.pond("list", "--all", "--json");
    const agent = stdout.split("\n").find((each) => each.includes("subagents")) ?? "";
    const ids = [JSON.parse(agent).session_id, ledger];

    const restored = await home.pond("restore", ...ids, "--out", out, "--json");

    const own = Object.entries(tree(samples)).filter(([path]) => path.startsWith(project));
    expect(restored.code).toBe(0);
    expect(tree(out)).toEqual(Object.fromEntries(own));
    const { files } = JSON.parse(restored.stdout);
    const paths: string[] = files.map(({ path }: { path: string }) => path);
    expect(paths.toSorted()).toEqual(own.map(([path]) => join(out, path)).sort());
  });

  it("writes into the client's home with --install", async () => {
    const { code } = await home.pond("restore", "5c3e", "--install");

    expect(code).toBe(0);
    const installed = readdirSync(join(home.folder, ".claude", "projects"));
    expect(installed).toEqual(["-home-ada-weather-widget"]);
  });

  it.each([
    ["only the session", ["original"]],
    ["the session and its fork", ["original", "fork"]],
    ["every session", ["--all"]],
  ])("leaves an existing fork alone when asked to install %s", async (_, named) => {
    const other = new Home();
    const { log, fork } = await other.syncFork();
    rmSync(log);
    writeFileSync(fork, "went on");

    const { code, stdout } = await other.pond("restore", ...named, "--install");

    expect([code, readFileSync(fork, "utf8"), existsSync(log)]).toEqual([0, "went on", true]);
    expect(stdout).toBe(
      `${log.replace(other.folder, "~")}\nRestored 1 session in 1 file.\n1 file of another session was there already and stays.\n`,
    );
    other.remove();
  });

  it("replaces in the client's home only the named sessions, and only with --force", async () => {
    const other = new Home();
    const { log, fork, forkLines } = await other.syncFork();
    writeFileSync(log, "mine");
    writeFileSync(fork, "went on");

    const unforced = await other.pond("restore", "original", "--install");
    const one = await other.pond("restore", "original", "--install", "--force", "--json");
    const kept = readFileSync(fork, "utf8");
    const both = await other.pond("restore", "original", "fork", "--install", "--force");

    expect([unforced.code, unforced.stderr]).toEqual([1, expect.stringContaining(log)]);
    expect([one.code, kept]).toEqual([0, "went on"]);
    expect(JSON.parse(one.stdout)).toMatchObject({
      files: [{ session_id: "original", path: log }],
      left_as_is: [{ session_id: "fork", path: fork }],
    });
    expect([both.code, contentOf(fork)]).toEqual([
      0,
      forkLines.split("\n").map((each) => (each === "" ? each : JSON.parse(each))),
    ]);
    other.remove();
  });

  it.each([
    ["one session", [ledger]],
    ["every session", ["--all"]],
  ])("refuses an unknown client for %s", async (_, argv) => {
    const { code, stdout, stderr } = await home.pond("restore", ...argv, "--to", "claud");

    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining("Known: claude-code")]);
  });

  it.each([
    ["one session", [ledger]],
    ["every session", ["--all"]],
  ])("refuses a file as the output folder for %s", async (_, argv) => {
    const file = join(out, "taken");
    writeFileSync(file, "mine");

    const { code, stderr } = await home.pond("restore", ...argv, "--out", file);

    expect([code, stderr]).toEqual([2, expect.stringContaining("is not a folder: name one")]);
  });

  // Node's own way of making folders never comes to an end there.
  it.runIf(process.platform === "linux").each([
    ["restore", ledger, "--out", "/proc/x/y"],
    ["get", ledger, "--format", "html", "--out", "/proc/x"],
    ["export", "--output", "/proc/x"],
  ])("says that nothing can be created below /proc: %s", async (...argv) => {
    const { code, stderr } = await home.pond(...argv);

    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: \/proc\/x\S* cannot be written: nothing can be created there/),
    ]);
  });

  it("replaces a file only with --force", async () => {
    await home.pond("restore", ledger, "--out", out);
    const file = join(out, project, `${ledger}.jsonl`);
    writeFileSync(file, "mine");

    const refused = await home.pond("restore", ledger, "--out", out);
    const kept = readFileSync(file, "utf8");
    const forced = await home.pond("restore", ledger, "--out", out, "--force");

    expect([refused.code, refused.stderr, kept]).toEqual([
      1,
      expect.stringContaining("is there already"),
      "mine",
    ]);
    expect([forced.code, contentOf(file)]).toEqual([
      0,
      contentOf(join(samples, project, `${ledger}.jsonl`)),
    ]);
  });

  it.each([
    ["--all", ["--all"]],
    ["both ids", ["s1", "s2"]],
  ])(
    "restores two sessions that name each other as parents once each, given %s",
    async (_, words) => {
      const other = new Home();
      const forkOf = (id: string) => ({ forkedFrom: { sessionId: id, messageUuid: "x" } });
      for (const [id, parent = ""] of [
        ["s1", "s2"],
        ["s2", "s1"],
      ]) {
        const text = `${line(id ?? "", `${id}-a`, "x", forkOf(parent))}\n`;
        other.write(`.claude/projects/-work/${id}.jsonl`, text);
      }
      await other.pond("sync", "-q");
      const out = join(other.folder, "out");

      const { code, stdout } = await other.pond("restore", ...words, "--out", out, "--json");

      const files = JSON.parse(stdout).files.map((file: { session_id: string }) => file.session_id);
      expect([code, files.toSorted()]).toEqual([0, ["s1", "s2"]]);
      other.remove();
    },
  );

  it("restores the other sessions when one fails, names the failed one and exits with 3", async () => {
    await home.pond("restore", "f1a4", "--out", out);
    const [first = ""] = Object.keys(tree(out));
    writeFileSync(join(out, first), "mine");

    const { code, stdout } = await home.pond("restore", ledger, "f1a4", "--out", out, "--json");

    const { files, faults } = JSON.parse(stdout);
    expect([code, files.length > 0, faults]).toEqual([
      3,
      true,
      [
        {
          session_id: "f1a4e000-7c1d-4b52-9a6e-2d1f0c5b7a01",
          code: "target_exists",
          message: expect.stringContaining("is there already"),
        },
      ],
    ]);
  });

  it.each(["restore", "resume"])(
    "says how to hand a recorded session to a client: %s",
    async (command) => {
      const other = new Home();
      onTestFinished(() => other.remove());
      const store = join(other.folder, ".local", "share", "pond", "default");
      const sessions = await openSessions(store, { mode: "write" });
      const ingest = createIngest(sessions, { host: "loom", now: () => new Date() });
      const at = { created_at: "2026-03-01T09:00:00Z", project: "/work", options: {} };
      const session = sessionFromWire({ ...at, id: "recorded", source_agent: "loom-agent" });
      async function* events() {
        yield { kind: "session", session } as const;
      }
      await ingest.session(events(), {
        isUnchanged: async () => true,
        onCommitted: () => undefined,
      });
      await ingest.finish();
      sessions.close();

      const failed = await other.pond(command, "recorded");
      const given = await other.pond("restore", "recorded", "--to", "pi", "--out", out);

      expect(failed.stderr).toMatch(
        /sessions of "loom-agent" go back to no client .* --to CLIENT .*claude-code/s,
      );
      expect([failed.code, given.code]).toEqual([2, 0]);
    },
  );

  it("names the sessions that an ambiguous id could mean", async () => {
    const other = new Home();
    other.writeSession("abc-1", line("abc-1", "a", "x"));
    other.writeSession("abc-2", line("abc-2", "a", "x"));
    await other.pond("sync");

    const { code, stdout, stderr } = await other.pond("restore", "abc", "--json");

    other.remove();
    expect(code).toBe(2);
    expect(stderr).toContain('2 sessions begin with "abc"');
    expect(JSON.parse(stdout).error).toMatchObject({
      code: "validation_failed",
      details: { kind: "ambiguous_id", candidates: ["abc-1", "abc-2"], count: 2 },
    });
  });

  it.each([
    [["restore"], "name a session"],
    [["restore", "--all", ledger], "not both"],
    [["restore", ledger, "--out", "x", "--install"], "--out and --install"],
    [["restore", ledger, "--out", ""], "option '--out <dir>' argument '' is invalid. It is empty"],
    [["restore", ledger, "--at", "noon"], "Allowed choices are first, last"],
  ])("refuses %j as bad usage", async (argv, message) => {
    const { code, stderr } = await home.pond(...argv);

    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync("x")).toBe(false);
  });
});

describe("pond restore of a session that was forked in another client", () => {
  const pi = "sessions/--home-ada-loom--/2026-11-20T09-00-00-000Z_";
  const omp = "sessions/-loom/2026-11-20T09-00-00-000Z_";
  let other: Home;
  let made: ReturnType<Home["writeForkInOmp"]>;
  beforeAll(async () => {
    other = new Home();
    made = other.writeForkInOmp();
    await other.pond("sync", "-q");
  });
  afterAll(() => other.remove());

  const restored = async (...argv: readonly string[]) => {
    const { code, stdout } = await other.pond("restore", ...argv, "--json");
    const { files, faults, left_as_is } = JSON.parse(stdout);
    const entries = files.map((file: { session_id: string; native: boolean }) => [
      file.session_id.slice(-2),
      file.native,
    ]);
    return { code, faults, left_as_is, entries };
  };

  it.each<[string, readonly string[], string, string]>([
    ["only the original is named", ["0aa"], "", "omp/"],
    ["the original and the fork are named", ["0aa", "0bb"], "", ""],
    ["all sessions are restored", ["--all"], "pi/", "omp/"],
  ])(
    "gives each client its own session when %s (`adapter-native-restore-lossless`)",
    async (_, words, own, forks) => {
      const argv = words.map((word) => word.replace(/^0/, "019c0000-0000-7000-8000-0000000000"));

      const { code, faults, entries } = await restored(...argv, "--out", out);

      expect([code, faults, entries.toSorted()]).toEqual([
        0,
        [],
        [
          ["aa", true],
          ["bb", true],
        ],
      ]);
      expect(tree(out)).toEqual({
        [`${own}${pi}${made.id}.jsonl`]: contentOf(made.log),
        [`${forks}${omp}${made.forkId}.jsonl`]: contentOf(made.fork),
      });
    },
  );

  it.each([
    [
      "pi",
      [
        ["aa", true],
        ["bb", false],
      ],
    ],
    [
      "omp",
      [
        ["aa", false],
        ["bb", true],
      ],
    ],
    [
      "codex",
      [
        ["aa", false],
        ["bb", false],
      ],
    ],
  ])(
    "translates for %s only the sessions of other clients, and each once",
    async (to, expected) => {
      const one = await restored(made.id, "--to", to, "--out", join(out, "one"));
      const all = await restored("--all", "--to", to, "--out", join(out, "all"));

      expect([one.entries, all.entries]).toEqual([expected, expected]);
      expect(tree(join(out, "all", to))).toEqual(tree(join(out, "one")));
    },
  );

  it("gives a client the fork beside the session that it has, and later knows the fork as a copy", async () => {
    const third = new Home();
    const { log, id, forkId } = third.writeForkInOmp();
    await third.pond("sync", "-q");
    const listed = async (...argv: readonly string[]) =>
      (await third.pond("list", "--json", ...argv)).stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .map(({ source_agent, session_id, parent_session_id }) => [
          source_agent,
          session_id,
          parent_session_id,
        ]);
    const before = await listed();
    rmSync(log);

    const { stdout } = await third.pond("restore", id, "--to", "pi", "--install", "--json");
    const { files } = JSON.parse(stdout);
    const copy = files.find((file: { session_id: string }) => file.session_id === forkId).path;
    const [header] = contentOf(copy) as readonly Record<string, unknown>[];
    await third.pond("sync", "-q");
    // The session is there already: the copy of the fork names it all the same.
    const resumed = await third.pond("resume", forkId, "--to", "pi", "--json");

    expect(JSON.parse(resumed.stdout)).toMatchObject({ files: [copy], written: false });
    expect(header?.["parentSession"]).toBe(log.slice(join(third.folder, ".pi/agent/").length));
    expect(await listed()).toEqual(before);
    expect((await listed("--all")).filter(([agent]) => agent === "pi").toSorted()).toEqual(
      [
        ["pi", id, undefined],
        ["pi", header?.["id"], id],
      ].toSorted(),
    );
    third.remove();
  });

  it("installs both sessions for their clients, and leaves an existing fork alone", async () => {
    const [log, fork] = [contentOf(made.log), contentOf(made.fork)];
    rmSync(made.log);
    rmSync(made.fork);

    const both = await restored(made.id, "--install");
    const found = [contentOf(made.log), contentOf(made.fork)];
    rmSync(made.log);
    writeFileSync(made.fork, "went on");
    const one = await restored(made.id, "--install");

    expect([both.entries, found]).toEqual([
      [
        ["aa", true],
        ["bb", true],
      ],
      [log, fork],
    ]);
    expect([one.code, one.entries, one.left_as_is, one.faults]).toEqual([
      0,
      [["aa", true]],
      [{ session_id: made.forkId, path: made.fork }],
      [],
    ]);
    expect(readFileSync(made.fork, "utf8")).toBe("went on");
  });
});

describe("pond restore --all for a client that has a copy of a session", () => {
  const id = "5e551000-0000-4000-8000-000000000001";

  it.each<[string, readonly string[], readonly string[]]>([
    ["once if neither session nor copy was continued", [], ["first"]],
    [
      "with later messages if only the session was continued",
      ["session"],
      ["first", "in the session"],
    ],
    ["as the copy has it if only the copy was continued", ["copy"], ["first", "in the copy"]],
    ["as the copy has it if both were continued", ["session", "copy"], ["first", "in the copy"]],
  ])("restores the conversation %s", async (_, grown, expected) => {
    const third = new Home();
    const log = third.writeSession(id, line(id, "u1", "first"));
    await third.pond("sync", "-q");
    const { files } = JSON.parse((await third.pond("resume", id, "--to", "pi", "--json")).stdout);
    if (grown.includes("session")) {
      appendFileSync(log, `${line(id, "u2", "in the session", { parentUuid: "u1" })}\n`);
    }
    if (grown.includes("copy")) {
      const message = { role: "user", content: "in the copy" };
      const at = { id: "a9", parentId: null, timestamp: "2026-11-21T09:00:00.000Z" };
      appendFileSync(files[0], `${JSON.stringify({ type: "message", ...at, message })}\n`);
    }
    await third.pond("sync", "-q");

    const argv = ["restore", "--all", "--to", "pi", "--out", out];
    const { code, stdout } = await third.pond(...argv, "--json");
    const text = (await third.pond(...argv, "--force")).stdout.replace(/\s+/g, " ");

    const report = JSON.parse(stdout);
    const written = Object.entries(tree(join(out, "pi")));
    const said = ["first", "in the session", "in the copy"];
    const isCopy = grown.includes("copy");
    expect([code, report.faults, report.files.length, written.length]).toEqual([0, [], 1, 1]);
    expect(report.left_out).toEqual(isCopy ? [id] : []);
    expect(text.includes("which may lack what came later: 1 session.")).toBe(isCopy);
    expect(said.filter((text) => JSON.stringify(written).includes(`"${text}"`))).toEqual(expected);
    third.remove();
  });
});

describe("pond restore into a folder that a program uses", () => {
  it("takes phi-core's own lock", async () => {
    const folder = join(out, "sessions");
    const env = { PHI_CORE_SESSIONS: folder };

    const { code } = await home.pondWith(
      { env },
      "restore",
      ledger,
      "--to",
      "phi-core",
      "--install",
    );

    expect(code).toBe(0);
    const names = readdirSync(folder).sort();
    expect(names.map((name) => name.replace(/^[0-9a-f-]{36}/, "ID"))).toEqual([
      "ID.json",
      "ID.json.lock",
      "ID.json",
      "ID.json.lock",
    ]);
  });

  it("asks for --out when a client has no folder here", async () => {
    const { code, stderr } = await home.pond("restore", ledger, "--to", "phi-core", "--install");

    expect([code, stderr]).toEqual([2, expect.stringContaining("--out DIR")]);
  });
});

it("pond resume brings a session that restore installed up to date when nobody continued it", async () => {
  const own = new Home();
  onTestFinished(() => own.remove());
  const file = own.writeSession("s1", line("s1", "m1", "one"));
  await own.pond("sync", "-q");
  rmSync(file);
  await own.pond("restore", "s1", "--install");
  const later = [line("s1", "m1", "one, edited"), line("s1", "m2", "two")].join("\n");
  own.write("other/projects/-work/s1.jsonl", later);
  await own.pond("sync", "claude-code", "--path", join(own.folder, "other"), "-q");

  const { written, outdated } = JSON.parse((await own.pond("resume", "s1", "--json")).stdout);

  expect([written, outdated]).toEqual([true, false]);
  expect(readFileSync(file, "utf8")).toContain("one, edited");
});

it("pond resume leaves a session alone that restore installed with --at first", async () => {
  const own = new Home();
  onTestFinished(() => own.remove());
  const file = own.writeSession("s1", line("s1", "m1", "one"));
  await own.pond("sync", "-q");
  own.writeSession("s1", line("s1", "m1", "one, edited"));
  await own.pond("sync", "-q");
  rmSync(file);
  await own.pond("restore", "s1", "--install", "--at", "first");

  const { written } = JSON.parse((await own.pond("resume", "s1", "--json")).stdout);

  expect(written).toBe(false);
  expect(readFileSync(file, "utf8")).not.toContain("edited");
});
