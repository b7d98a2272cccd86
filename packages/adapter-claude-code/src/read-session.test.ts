import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { contentOf, readAll, restoredFiles } from "@pond/adapter-testkit";
import { isSubAgent, titleOf } from "@pond/canonical/foreign";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fromClaudeCode } from "./from-claude-code.ts";
import { writeNative } from "./write-native.ts";

let projects: string;
beforeEach(() => {
  projects = mkdtempSync(join(tmpdir(), "pond-claude-"));
});
afterEach(() => rmSync(projects, { recursive: true, force: true }));

/** The session at a path, whose one record says it was copied from another. */
async function forkOf(sessionId: string, path: string) {
  const row = { type: "x", uuid: "u", cwd: "/w/app", timestamp: "2026-03-01T09:00:00.000Z" };
  const record = { ...row, forkedFrom: { sessionId, messageUuid: "m" } };
  const file = join(projects, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(record)}\n`);
  return contentOf(await readAll(fromClaudeCode(projects), path)).session;
}

it("names the session that a fork was copied from and the last record copied", async () => {
  expect(await forkOf("s0", "-w-app/s1.jsonl")).toMatchObject({
    parent_session_id: "s0",
    parent_message_id: "m",
  });
});

const copiedRow = (uuid: string) => ({
  ...{
    type: "user",
    uuid,
    sessionId: "s1",
    cwd: "/w/app",
    message: { role: "user", content: uuid },
  },
  timestamp: "2026-03-01T09:00:00.000Z",
  forkedFrom: { sessionId: "s0", messageUuid: `of-${uuid}` },
});
const ownRow = (uuid: string, parentUuid: string) => {
  const { forkedFrom: _, ...row } = copiedRow(uuid);
  return { ...row, parentUuid };
};
const torn = '{"type":"user","uuid"';

it.each<[string, readonly unknown[], cut?: string]>([
  ["among the copied records", [copiedRow("a"), torn, copiedRow("b"), ownRow("c", "b")], "of-b"],
  ["right after the cut", [copiedRow("a"), torn, ownRow("c", "a")], "of-a"],
  [
    "among the fork's own records",
    [copiedRow("a"), ownRow("b", "a"), torn, ownRow("d", "c")],
    "of-a",
  ],
  ["at the cut", [copiedRow("a"), torn, ownRow("c", "b")]],
  ["at the end of the log", [copiedRow("a"), torn]],
])(
  "finds the cut-point of a fork, or marks it unresolved, with a damaged record %s",
  async (_, rows, cut) => {
    const lines = rows.map((row) => (row === torn ? torn : JSON.stringify(row)));
    mkdirSync(join(projects, "-w-app"));
    writeFileSync(join(projects, "-w-app/s1.jsonl"), `${lines.join("\n")}\n`);

    const events = await readAll(fromClaudeCode(projects), "-w-app/s1.jsonl");

    const opened = events.find(({ kind }) => kind === "session");
    expect(opened).toMatchObject({ session: { parent_session_id: "s0" } });
    const { session } = contentOf(events);
    expect(session.parent_message_id).toBe(cut);
    expect(isSubAgent(session)).toBe(false);
    // What is stored of it stays (`session-durable-copy`).
    if (cut === undefined) expect(opened).toMatchObject({ unresolved: "cut_point" });
    else expect(opened).not.toHaveProperty("unresolved");
  },
);

it("marks the cut-point of a forked agent unresolved if its first record is damaged (`session-durable-copy`)", async () => {
  const { forkedFrom: _, ...row } = copiedRow("a");
  const lines = [torn, JSON.stringify({ ...row, agentId: "a1", isSidechain: true })];
  mkdirSync(join(projects, "-w-app/s1/subagents"), { recursive: true });
  const key = "-w-app/s1/subagents/agent-a1.jsonl";
  writeFileSync(join(projects, key), `${lines.join("\n")}\n`);

  const events = await readAll(fromClaudeCode(projects), key);

  const opened = events.find(({ kind }) => kind === "session");
  expect(opened).toMatchObject({ session: { parent_session_id: "s1" }, unresolved: "cut_point" });
  expect(isSubAgent(contentOf(events).session)).toBe(true);
});

it.each([
  ["s1", "-w-app/s1.jsonl"],
  ["agent-1", "-w-app/agent-1.jsonl"],
])("makes no session the parent of itself: %s", async (id, path) => {
  const session = await forkOf(id, path);

  expect(session.id).toBe(id);
  expect(session.parent_session_id).toBeUndefined();
  expect(session.parent_message_id).toBeUndefined();
});

it("keeps the id and the parent of an agent whose files somebody moved", async () => {
  const row = { type: "x", cwd: "/w/app", timestamp: "2026-03-01T09:00:00.000Z" };
  const record = { ...row, sessionId: "s1", uuid: "u", isSidechain: true };
  const folder = join(projects, "-w-app", "subagents");
  mkdirSync(folder, { recursive: true });
  for (const name of ["agent-a1", "agent-a2"]) {
    writeFileSync(join(folder, `${name}.jsonl`), `${JSON.stringify(record)}\n`);
  }
  writeFileSync(join(folder, "agent-a2.meta.json"), '{"parentAgentId":"a1"}');

  const keys = ["-w-app/subagents/agent-a1.jsonl", "-w-app/subagents/agent-a2.jsonl"];
  const contents = await Promise.all(
    keys.map(async (key) => contentOf(await readAll(fromClaudeCode(projects), key))),
  );

  expect(contents.map(({ session }) => [session.id, session.parent_session_id])).toEqual([
    ["s1/subagents/agent-a1", "s1"],
    ["s1/subagents/agent-a2", "s1/subagents/agent-a1"],
  ]);
  expect(
    contents.map((root) => [...restoredFiles(writeNative({ root, descendants: [] })).keys()]),
  ).toEqual([
    [`projects/${keys[0]}`],
    [`projects/${keys[1]}`, "projects/-w-app/subagents/agent-a2.meta.json"],
  ]);
});

it("makes agents that name each other as parent children of their session", async () => {
  const row = { type: "x", cwd: "/w/app", timestamp: "2026-03-01T09:00:00.000Z" };
  const folder = join(projects, "-w-app", "s1", "subagents");
  mkdirSync(join(folder, "workflows"), { recursive: true });
  const parents = [
    ["a1", "a2"],
    ["a2", "a3"],
    ["a3", "a1"],
    ["a4", "a4"],
    ["a5", "a1"],
    ["workflows/a6", "a5"],
    ["a7", "gone"],
  ] as const;
  for (const [name, parentAgentId] of parents) {
    const file = join(folder, name.replace(/(?=a\d$)/, "agent-"));
    writeFileSync(`${file}.jsonl`, `${JSON.stringify(row)}\n`);
    writeFileSync(`${file}.meta.json`, JSON.stringify({ parentAgentId }));
  }

  const found = await Promise.all(
    parents.map(async ([name]) => {
      const key = `-w-app/s1/subagents/${name.replace(/(?=a\d$)/, "agent-")}.jsonl`;
      const { session } = contentOf(await readAll(fromClaudeCode(projects), key));
      return [name, session.parent_session_id];
    }),
  );

  expect(found).toEqual([
    ["a1", "s1"],
    ["a2", "s1"],
    ["a3", "s1"],
    ["a4", "s1"],
    ["a5", "s1/subagents/agent-a1"],
    ["workflows/a6", "s1/subagents/agent-a5"],
    ["a7", "s1"],
  ]);
});

it("reads a session log even if it holds an `init` row like that of a printed run", async () => {
  const row = { sessionId: "s1", cwd: "/w", timestamp: "2026-03-01T09:00:00.000Z" };
  const rows = [
    { ...row, type: "user", uuid: "u1", message: { role: "user", content: "hi" } },
    { type: "system", subtype: "init", session_id: "s2", cwd: "/w" },
  ];
  const file = join(projects, "runs", "mixed.jsonl");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, rows.map((each) => `${JSON.stringify(each)}\n`).join(""));

  const events = await readAll(fromClaudeCode(file), "runs/mixed.jsonl");

  expect(events.map(({ kind }) => kind)).toEqual(["session", "message", "part", "message"]);
});

const time = "2026-03-01T09:00:00.000Z";
const prompt = { role: "user", content: "hi" };

it.each([
  [
    "pi or omp",
    [
      { type: "session", version: 3, id: "s1", timestamp: time, cwd: "/w/app" },
      { type: "message", id: "m1", parentId: null, timestamp: time, message: prompt },
    ],
  ],
  ["an unknown client", [{ sessionId: 7, cwd: "/w/app", timestamp: time, message: prompt }]],
])("makes no session of a log written by %s", async (_, rows) => {
  const file = join(projects, "usb", "log.jsonl");
  mkdirSync(dirname(file));
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

  const events = await readAll(fromClaudeCode(file), "usb/log.jsonl");

  const reason = "no record has a `sessionId` or a `uuid`: not a log of Claude Code, not ingested";
  expect(events).toMatchObject([
    { kind: "fault", records: rows.length, fault: { details: { reason } } },
  ]);
});

it.each([
  ["summaries", { type: "summary", summary: "Added a health check", leafUuid: "r1" }],
  [
    "file-history snapshots",
    {
      type: "file-history-snapshot",
      messageId: "r1",
      snapshot: { messageId: "r1", trackedFileBackups: {}, timestamp: time },
      isSnapshotUpdate: false,
    },
  ],
  ["notes of remote sessions", { type: "teleported-from", remoteSessionId: "s9", branch: "b" }],
])("reports a log of only %s as a leftover without a working directory", async (_, row) => {
  const file = join(projects, "-w-app", "s1.jsonl");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(row)}\n`);

  const events = await readAll(fromClaudeCode(file), "-w-app/s1.jsonl");

  const reason =
    "no record holds a working directory and a time: not ingested (`model-project-non-empty`)";
  expect(events).toMatchObject([
    { kind: "fault", records: 1, isLeftover: true, fault: { details: { reason } } },
  ]);
});

it.each([
  ["a message", { type: "user", uuid: "u1", sessionId: "s1", message: prompt }],
  [
    "a pull request link with a time",
    { type: "pr-link", sessionId: "s1", timestamp: time, prNumber: 1 },
  ],
  [
    "a file-history change with a time",
    { type: "file-history-delta", messageId: "r1", timestamp: time },
  ],
])("does not call a log without a working directory a leftover if it holds %s", async (_, row) => {
  mkdirSync(join(projects, "-w-app"));
  writeFileSync(join(projects, "-w-app/s1.jsonl"), `${JSON.stringify(row)}\n`);

  const [event] = await readAll(fromClaudeCode(projects), "-w-app/s1.jsonl");

  expect(event).toMatchObject({
    kind: "fault",
    fault: { details: { reason: expect.stringContaining("holds a working directory") } },
  });
  expect(event).not.toHaveProperty("isLeftover");
});

describe("a log with the time of a queued prompt but no working directory", () => {
  const queued = {
    type: "queue-operation",
    operation: "enqueue",
    timestamp: time,
    sessionId: "s1",
    content: "Add a health check",
  };
  const beside = (cwd: string) => ({ ...queued, type: "user", uuid: "u1", cwd, message: prompt });
  const write = (name: string, row: object): void => {
    mkdirSync(join(projects, "-w-app"), { recursive: true });
    writeFileSync(join(projects, "-w-app", name), `${JSON.stringify(row)}\n`);
  };
  const read = () => readAll(fromClaudeCode(projects), "-w-app/s1.jsonl");

  it.each([
    ["one has it", ["/w/app"], "/w/app"],
    ["one has it, after one that moved elsewhere", ["/w/other", "/w/app"], "/w/app"],
    ["the only one moved elsewhere", ["/w/other"], undefined],
    ["two have directories with the same folder name", ["/w/app", "/w.app"], undefined],
    ["there are none", [], undefined],
  ])(
    "looks for its working directory in the folder's other sessions: %s",
    async (_, directories, project) => {
      write("s1.jsonl", queued);
      for (const [at, cwd] of directories.entries()) write(`r${at}.jsonl`, beside(cwd));

      const [first] = await read();

      expect(first?.kind === "session" ? first.session.project : undefined).toBe(project);
    },
  );

  it("takes the working directory of a session that comes after fifty logs without one", async () => {
    for (let at = 0; at < 50; at++) write(`r${at}.jsonl`, queued);
    write("s1.jsonl", queued);
    write("x.jsonl", beside("/w/app"));

    expect(await read()).toMatchObject([{ session: { project: "/w/app" } }, {}]);
  });

  it("takes no directory if a session after fifty others ran in another with the same folder name", async () => {
    write("s1.jsonl", queued);
    for (let at = 0; at < 50; at++) write(`t${at}.jsonl`, beside("/w/app"));
    write("x.jsonl", beside("/w.app"));

    expect(await read()).toMatchObject([{ kind: "fault", isRetryable: true }]);
  });

  it("skips a folder, a pipe and a link to a device in the place of other logs", async () => {
    write("s1.jsonl", queued);
    write("x.jsonl", beside("/w/app"));
    mkdirSync(join(projects, "-w-app/a.jsonl"));
    execFileSync("mkfifo", [join(projects, "-w-app/b.jsonl")]);
    symlinkSync("/dev/zero", join(projects, "-w-app/c.jsonl"));

    expect(await read()).toMatchObject([{ session: { project: "/w/app" } }, {}]);
  });

  it("takes the directory of a long folder name that ends in another build's hash, unless two fit", async () => {
    const directory = `/w/${"long/".repeat(60)}app`;
    const slug = `${directory.replaceAll("/", "-").slice(0, 200)}-1a2b3c`;
    const other = `/w/${"long-".repeat(60)}app`;
    mkdirSync(join(projects, slug));
    const put = (name: string, row: object) =>
      writeFileSync(join(projects, slug, name), `${JSON.stringify(row)}\n`);
    put("s1.jsonl", queued);
    put("x.jsonl", beside(directory));
    const readLong = () => readAll(fromClaudeCode(projects), `${slug}/s1.jsonl`);

    expect(await readLong()).toMatchObject([{ session: { project: directory } }, {}]);

    put("y.jsonl", beside(other));
    expect(await readLong()).toMatchObject([{ kind: "fault" }]);
  });
});

it("names the session file of a run whose printed output it refuses", async () => {
  const run = { session_id: "s1", timestamp: "2026-03-01T09:00:00.000Z" };
  const rows = [
    { ...run, type: "system", subtype: "hook_started" },
    { ...run, type: "system", subtype: "init", cwd: "/w/app" },
    { ...run, type: "user", message: { role: "user", content: "hi" } },
  ];
  const file = join(projects, "runs", "run.jsonl");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

  const events = await readAll(fromClaudeCode(file), "runs/run.jsonl");

  expect(events.map((event) => event.kind === "fault" && event.fault.details.reason)).toEqual([
    "output of `--output-format stream-json`, not a session file: not ingested; the session itself is projects/-w-app/s1.jsonl, where it was kept",
  ]);
});

it.each([
  ["after the record that it names", ["r1", "r2", "summary:r1"], "summary r1"],
  ["after another summary", ["r1", "summary:r1", "r2", "summary:r2"], "summary r2"],
  ["after a summary of another session", ["summary:r9", "r1", "summary:r1"], "summary r1"],
  ["after a title that a person chose", ["r1", "custom", "summary:r1"], "chosen"],
  ["first but names a record of another session", ["summary:r9", "r1"], undefined],
  ["before the error that a later one holds", ["r1", "summary:r1", "refused:r1"], "summary r1"],
  ["last and holds the error of a login", ["r1", "logged-out:r1"], undefined],
])("titles a session given a summary that stands %s", async (_, rows, expected) => {
  const errors: Record<string, string> = {
    refused: "API Error: 503 no capacity\n",
    "logged-out": "Invalid API key · Please run /login",
  };
  const records = rows.map((row) => {
    const [kind = "", leafUuid] = row.split(":");
    if (leafUuid !== undefined)
      return { type: "summary", summary: errors[kind] ?? `summary ${leafUuid}`, leafUuid };
    if (row === "custom") return { type: "custom-title", customTitle: "chosen" };
    return { type: "x", uuid: row, cwd: "/w/app", timestamp: "2026-03-01T09:00:00.000Z" };
  });
  const path = "-w-app/s1.jsonl";
  mkdirSync(join(projects, "-w-app"));
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join("");
  writeFileSync(join(projects, path), text);

  const { messages } = contentOf(await readAll(fromClaudeCode(projects), path));

  expect(titleOf(messages)?.text).toBe(expected);
});

it.each([
  { minutes: 1, expected: { kind: "pending" } },
  { minutes: 61, expected: { kind: "fault", isLeftover: true } },
])(
  "takes a torn last line of $minutes minutes ago as $expected.kind",
  async ({ minutes, expected }) => {
    const file = join(projects, "-w-app", "s1.jsonl");
    mkdirSync(dirname(file));
    writeFileSync(file, `${JSON.stringify(ownRow("u1", ""))}\n${torn}`);
    const written = new Date(Date.now() - minutes * 60_000);
    utimesSync(file, written, written);

    const events = await readAll(fromClaudeCode(projects), "-w-app/s1.jsonl");

    expect(events.filter(({ kind }) => kind === "message")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject(expected);
  },
);
