import { dirname } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Home, line } from "../testing.ts";

let home: Home;
beforeEach(() => {
  home = new Home();
});
afterEach(() => home.remove());

// No scheduler of this machine is asked.
const env = { PATH: "/nowhere" };
const status = async (...argv: readonly string[]) => {
  const { code, stdout } = await home.pondWith({ env }, "status", ...argv);
  expect(code).toBe(0);
  return stdout;
};

describe("pond status", () => {
  it("reports how far each stage got, and what to do", async () => {
    home.writeSession("s1", line("s1", "a", "one"));
    home.writeSession("s2", line("s2", "a", "two"), "{broken");
    await home.pond("sync");
    home.writeSession("s1", line("s1", "a", "one"), line("s1", "b", "more"));
    const file = home.writeSession("s3", line("s3", "a", "three"));

    const text = await status();
    const { machine } = JSON.parse(await status("--json"));

    expect(text).toMatch(
      /\nImported {2}1 of 3 sessions on this machine \(33 %\)\nEmbedded {2}off: no embedding model is configured\nIndexed {3}\d+ of \d+ rows .*\nSchedule {2}off: `pond schedule start` /,
    );
    expect(text).toMatch(
      /\nclaude-code +2 +2 {2}2026-11-20 \d\d:00 {2}2026-11-20 \d\d:00 +2 +0 +1\n/,
    );
    expect(text).toContain(
      "\n! 2 sessions on this machine are new or changed: `pond sync` stores them.\n",
    );
    expect(text).toMatch(
      /\n! 1 record could not be read; .*\.\n {2}~\/.*\/s2\.jsonl:2 {2}not JSON: /,
    );
    const fault = { adapter: "claude-code", code: "source_fault", message: expect.any(String) };
    expect(machine).toEqual({
      clients: [
        {
          ...{ name: "claude-code", sessions: 3, waiting: 2, pending: 0, failed: 0, faults: 1 },
          leftovers: 0,
          last_sync: "2026-11-20T12:00:00.000Z",
        },
      ],
      faults: [{ ...fault, location: `${file.replace("s3", "s2")}:2` }],
      faults_omitted: 0,
      schedule: {
        ...{ scheduler: null, every: null, places: [] },
        ...{ last_run: null, next_run: null, silent_since: null },
      },
      advice: [
        { code: "sessions_waiting", message: expect.any(String) },
        { code: "records_unread", message: expect.any(String) },
      ],
    });
  });

  it("distinguishes unstored sessions from unread records, and advises no further sync", async () => {
    const sessionId = "q1";
    const queued = { type: "queue-operation", timestamp: "2026-11-20T09:00:00.000Z", sessionId };
    home.writeSession(
      sessionId,
      JSON.stringify({ ...queued, operation: "enqueue", content: "hi" }),
      JSON.stringify({ ...queued, operation: "dequeue" }),
    );
    const sync = await home.pond("sync");

    const text = await status();
    const { advice, machine } = JSON.parse(await status("--json"));

    expect(sync.stderr).toContain(
      "warning: 1 session could not be stored; everything else that could be read is:\n  ~/",
    );
    expect(text).toContain("\nImported  0 of 1 session on this machine (0 %), 1 not readable\n");
    expect(text).toMatch(
      /\n! 1 session could not be stored; everything else that could be read is\. /,
    );
    expect(text).not.toMatch(/Mend|`pond sync` fetches|\brecord could/);
    expect(advice).toEqual([]);
    expect(machine.advice).toEqual([
      { code: "sessions_unstored", message: expect.stringMatching(/^1 session could not/) },
    ]);
  });

  it("advises a sync when the store is empty and no session was ever read", async () => {
    home.writeSession("s1", line("s1", "a", "one"));
    await home.pond("sync", "--only", "update-indexes");

    expect(await status()).toContain("! Nothing is stored yet: `pond sync` fetches sessions.");
  });

  it("lists what a client left behind, without advice about it", async () => {
    home.writeSession("s1", line("s1", "a", "one"));
    home.write(".local/share/opencode/storage/session/.keep", "");
    const left = home.write(".local/share/opencode/storage/part/msg_1/prt_1.json", "{}");
    const synced = await home.pond("sync");

    const text = await status();
    const { machine } = JSON.parse(await status("--json"));

    expect(synced.code).toBe(0);
    expect(text).toContain(
      "\nNothing needs doing.\n  ~/.local/share/opencode/storage/part/msg_1  parts of a message",
    );
    expect(text).not.toContain("Mend");
    expect(machine).toMatchObject({
      clients: [
        { name: "claude-code", faults: 0, leftovers: 0 },
        { name: "opencode", faults: 1, leftovers: 1 },
      ],
      faults: [{ location: dirname(left) }],
      advice: [],
    });
  });

  it("reports the schedule, and that its last run failed", async () => {
    home.writeSession("s1", line("s1", "a", "one"));
    await home.pond("sync");
    const started_at = "2026-11-20T11:00:00.000Z";
    const run = { started_at, finished_at: started_at, exit_code: 1 };
    home.write(".local/state/pond/schedule.json", JSON.stringify(run));
    home.write(
      ".config/systemd/user/pond-sync.timer",
      "OnCalendar=hourly\n# Written by `pond schedule start`; `pond schedule stop` removes it.\n",
    );

    const text = await status();

    expect(text).toMatch(/\nSchedule {2}.* with systemd; last run 2026-11-20 \d\d:00, failed\n/);
    expect(text).toContain(
      "\n! The last scheduled sync failed with exit code 1: `pond sync` says why.\n",
    );
  });

  it("reports the store even if a configured folder is gone", async () => {
    home.writeSession("s1", line("s1", "a", "one"));
    await home.pond("sync");
    home.write(".config/pond/config.toml", '[adapters.codex]\npaths = ["/gone"]\n');

    const text = await status();

    expect(text).toMatch(/\nHolds {5}1 session, /);
    expect(text).toMatch(/\n {2}\/gone {2}nothing is there\n/);
  });

  it("lists ten projects, or all of them with --all", async () => {
    for (let n = 0; n < 12; n++) {
      home.writeSession(`s${n}`, line(`s${n}`, "a", "x", { cwd: `/work/p${n}` }));
    }
    await home.pond("sync");

    const [some, all] = [await status(), await status("--all")];

    expect(some).toMatch(/\nand 2 more: --all\n/);
    expect(some.match(/ {2}\/work\/p/g)).toHaveLength(10);
    expect(all.match(/ {2}\/work\/p/g)).toHaveLength(12);
  });

  it("fits the terminal, and prints its progress there alone, unless -q is given", async () => {
    const cwd = `/work/${"folder/".repeat(30)}`;
    home.writeSession("s1", line("s1", "a", "one", { cwd }), line("s1", "b", "two"));
    await home.pond("sync");
    home.writeSession("s2", line("s2", "a", "two"));

    for (const columns of [60, 80, 200]) {
      const terminal = { isTerminal: true, columns, env };
      const { stdout, stderr } = await home.pondWith(terminal, "status", "--no-color");
      expect(stdout).toMatch(/ {2}…\S*folder\/\n/);
      expect(stdout).toMatch(columns < 72 ? /MESSAGES {2}LAST SYNC/ : /LAST SESSION {2}LAST SYNC/);
      for (const each of stdout.split("\n")) expect(each.length).toBeLessThanOrEqual(columns);
      expect(stderr).toContain("counting…");
    }
    const quiet = await home.pondWith({ isTerminal: true, env }, "status", "-q");
    const piped = await home.pondWith({ env }, "status");
    expect([quiet.stderr, piped.stderr]).toEqual(["", ""]);
  });
});
