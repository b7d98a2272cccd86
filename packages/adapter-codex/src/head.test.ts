import { contentOf, readAll, withFolder } from "@pond/adapter-testkit";
import { fromRfc3339, type JsonObject, stringifyJson } from "@pond/canonical";
import { expect, it } from "vitest";
import { fromCodex } from "./from-codex.ts";

const id = "019e0000-0000-7000-8000-000000000001";
const file = `sessions/rollout-2026-05-04T11-00-00-${id}.jsonl`;
const timestamp = "2026-05-04T09:00:00.000Z";
const repository_url = "https://example.com/ada/loom.git";
const full = { id, timestamp, cwd: "/home/ada" };

const meta = (payload: JsonObject) => ({ timestamp, type: "session_meta", payload });
const context = (cwd: string) => ({ timestamp, type: "turn_context", payload: { cwd } });
const user = (text: string) => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text }],
});
const call = (args: JsonObject) => ({
  type: "function_call",
  name: "shell",
  call_id: "c",
  arguments: stringifyJson(args),
});

async function read(records: readonly JsonObject[]) {
  const bytes = Buffer.from(records.map((record) => `${stringifyJson(record)}\n`).join(""));
  return withFolder(new Map([[file, bytes]]), (folder) => readAll(fromCodex(folder), file));
}

it.each<[name: string, project: string, records: readonly JsonObject[]]>([
  ["the header", "/home/ada", [meta(full), context("/tmp")]],
  [
    "the first turn if the header has none",
    "/tmp",
    [meta({ id, timestamp }), context("/tmp"), context("/b")],
  ],
  [
    "the first turn if the header's is empty",
    "/tmp",
    [meta({ ...full, cwd: "" }), context("/tmp")],
  ],
  [
    "the environment context",
    "/home/ada/a b",
    [
      { id, timestamp, instructions: null },
      user("<environment_context>\n  <cwd>/home/ada/a b</cwd>\n</environment_context>"),
    ],
  ],
  [
    "an environment context in an older form",
    "/home/ada/a b",
    [
      { id, timestamp, instructions: null },
      user(
        "<environment_context>\nCurrent working directory: /home/ada/a b \nX: y\n</environment_context>",
      ),
    ],
  ],
  [
    "a later environment context rather than a call",
    "/told",
    [
      { id, timestamp, instructions: "" },
      call({ workdir: "/called" }),
      user("<environment_context>\n<cwd>/told</cwd>\n</environment_context>"),
    ],
  ],
  [
    "the first call with a directory if nothing else names one",
    "/called",
    [{ id, timestamp, instructions: "" }, call({}), call({ workdir: "/called" })],
  ],
  [
    "the repository if nothing names a directory",
    "https://example.com/ada/loom.git",
    [{ id, timestamp, git: { branch: "main", repository_url } }, user("Hello."), call({})],
  ],
  [
    "the repository in a newer header",
    "https://example.com/ada/loom.git",
    [meta({ id, timestamp, cwd: "", git: { repository_url } }), user("Hello.")],
  ],
  [
    "a call rather than the repository",
    "/called",
    [{ id, timestamp, git: { repository_url } }, call({ workdir: "/called" })],
  ],
  [
    "a call with an absolute path rather than a relative one",
    "C:\\loom",
    [{ id, timestamp }, call({ workdir: "src" }), call({ workdir: "C:\\loom" })],
  ],
  [
    "the first local command if nothing else names a directory",
    "/ran",
    [
      { id, timestamp, instructions: "" },
      { type: "local_shell_call", call_id: "c", action: { working_directory: "/ran" } },
    ],
  ],
])("takes the project from %s (`model-project-non-empty`)", async (_, project, records) => {
  expect(contentOf(await read(records)).session.project).toBe(project);
});

it.each<[name: string, records: readonly JsonObject[]]>([
  ["no working directory", [meta({ id, timestamp }), { ...user("<cwd>/typed</cwd>") }]],
  ["no time", [{ type: "session_meta", payload: { id, cwd: "/home/ada" } }]],
])(
  "reports a thread with %s instead of reading it (`adapter-integrity-no-silent-drops`)",
  async (_, records) => {
    const events = await read(records);

    const reasons = events.map((event) =>
      event.kind === "fault" ? event.fault.details.reason : "",
    );
    expect(reasons).toEqual([expect.stringContaining("not ingested")]);
  },
);

it("takes the id from the file name and the time from the first record if no header has them", async () => {
  const { session } = contentOf(await read([context("/home/ada")]));

  expect([session.id, session.created_at]).toEqual([id, 1_777_885_200_000_000n]);
});

const parent = "019e0000-0000-7000-8000-000000000009";
const spawn = { subagent: { thread_spawn: { parent_thread_id: parent, depth: 1 } } };

it.each<[name: string, fields: JsonObject, lineage: readonly (string | undefined)[]]>([
  ["stands alone", {}, [undefined, undefined]],
  ["was spawned, as its source says", { source: spawn }, [parent, undefined]],
  ["was spawned, as a field of its own says", { parent_thread_id: parent }, [parent, undefined]],
  ["was forked", { forked_from_id: parent }, [parent, "fork"]],
  [
    "was spawned with another thread's history",
    { source: spawn, forked_from_id: "x" },
    [parent, undefined],
  ],
  [
    "names itself as its parent",
    { parent_thread_id: id, forked_from_id: id },
    [undefined, undefined],
  ],
  ["names an empty parent", { parent_thread_id: "", forked_from_id: null }, [undefined, undefined]],
])("finds the parent, if any, of a thread that %s", async (_, fields, lineage) => {
  const { session } = contentOf(
    await read([meta({ ...full, ...fields }), meta({ ...full, id: "y", forked_from_id: "z" })]),
  );

  const { relation } = Object(session.options["source"]);
  expect([session.parent_session_id, relation]).toEqual(lineage);
  expect(session.id).toBe(id);
});

const foreign = { id: parent, timestamp: "2026-05-01T00:00:00.000Z", cwd: "/parent" };

it.each<[name: string, records: readonly JsonObject[], facts: readonly unknown[]]>([
  [
    "only another thread's header",
    [meta(foreign), user("Why?")],
    [undefined, "/parent", timestamp, undefined],
  ],
  [
    "another thread's header before its own",
    [
      meta({ ...foreign, source: spawn }),
      context("/turn"),
      meta({ ...full, forked_from_id: parent }),
    ],
    [parent, "/home/ada", timestamp, "fork"],
  ],
  [
    "another thread's header and a turn",
    [meta(foreign), context("/turn")],
    [undefined, "/turn", timestamp, undefined],
  ],
  [
    "a header without a time after another thread's",
    [meta(foreign), meta({ id, cwd: "/home/ada" })],
    [undefined, "/home/ada", timestamp, undefined],
  ],
  [
    "another thread's header from before envelopes",
    [{ id: parent, timestamp: foreign.timestamp }, call({ workdir: "/called" })],
    [undefined, "/called", foreign.timestamp, undefined],
  ],
])(
  "takes a thread's id from its file name even if the file holds %s",
  async (_, records, facts) => {
    const { session } = contentOf(await read(records));

    const { relation } = Object(session.options["source"]);
    expect(session.id).toBe(id);
    expect([session.parent_session_id, session.project, relation]).toEqual([
      facts[0],
      facts[1],
      facts[3],
    ]);
    expect(session.created_at).toBe(fromRfc3339(String(facts[2])));
  },
);

it("keeps a fork whose own header is damaged apart from its parent (`adapter-integrity-no-silent-drops`)", async () => {
  const own = stringifyJson(
    meta({ ...full, forked_from_id: parent, git: { branch: "caf\u00e9" } }),
  );
  const copied = [meta(foreign), user("of the parent"), user("of the fork")].map((record) =>
    stringifyJson(record),
  );
  const bytes = Buffer.concat([
    Buffer.from(`${own}\n`, "latin1"),
    Buffer.from(copied.join("\n")),
    Buffer.from("\n"),
  ]);

  await withFolder(new Map([[file, bytes]]), async (folder) => {
    const events = await readAll(fromCodex(folder), file);

    expect(contentOf(events).session.id).toBe(id);
    expect(
      events.map(({ kind }) => kind).filter((kind) => kind === "fault" || kind === "message"),
    ).toEqual(["fault", "message", "message", "message"]);
  });
});

it.each<[name: string, fields: JsonObject, provenance: string, author: unknown]>([
  ["a thread without a source", {}, "conversational", undefined],
  ["a thread in a terminal", { source: "cli", thread_source: "user" }, "conversational", undefined],
  ["a thread of a custom client", { source: { custom: "x" } }, "conversational", undefined],
  ["a spawned agent", { source: spawn }, "conversational", "agent"],
  ["a thread marked as a sub-agent's", { thread_source: "subagent" }, "conversational", "agent"],
  ["a review", { source: { subagent: "review" } }, "injected", undefined],
  ["a compaction", { source: { subagent: "compact" } }, "injected", undefined],
  ["a guardian", { source: { subagent: { other: "guardian" } } }, "injected", undefined],
  ["a memory consolidation", { thread_source: "memory_consolidation" }, "injected", undefined],
  [
    "a review by a guardian",
    { source: "cli", thread_source: "guardian_review" },
    "injected",
    undefined,
  ],
  ["a thread of the client itself", { source: { internal: "titles" } }, "injected", undefined],
])(
  "tells who writes the user messages of %s (`model-part-provenance`)",
  async (_, fields, provenance, author) => {
    const { messages } = contentOf(await read([meta({ ...full, ...fields }), user("Why?")]));

    const [, message] = messages;
    expect(Object(message?.options["source"])["author"]).toBe(author);
    expect(message?.content).toMatchObject([{ text: "Why?", provenance }]);
  },
);

const titlePrompt =
  "Generate a concise UI title (20-40 characters) for this task.\nReturn only the title. No quotes.\n\nTask:\nWhy?";
const olderTitlePrompt =
  "You are a helpful assistant. You will be presented with a user prompt, and your job is to provide a short title for a task that will be created from that prompt.";

it.each<[name: string, fields: JsonObject, text: string, provenance: string]>([
  ["a request for a title", {}, titlePrompt, "injected"],
  ["a request for a title in older words", {}, olderTitlePrompt, "injected"],
  ["any other prompt of the same run", {}, "Why?", "conversational"],
  ["a prompt that quotes the request", {}, `Explain: ${titlePrompt}`, "conversational"],
  ["the same words typed in the editor", { source: "vscode" }, titlePrompt, "conversational"],
  [
    "the same words from another program",
    { originator: "codex_exec" },
    titlePrompt,
    "conversational",
  ],
])("tells an editor's own request from a human's: %s", async (_, fields, text, provenance) => {
  const header = { ...full, originator: "codex_vscode", source: "exec", ...fields };
  const { messages } = contentOf(await read([meta(header), user(text)]));

  expect(messages[1]?.content).toMatchObject([{ text, provenance }]);
});

it("marks the parent of a thread unresolved if its header is lost (`session-durable-copy`)", async () => {
  const lost = `{"timestamp":"2026-05-04T09:0\n${[context("/home/ada"), user("Why?")]
    .map((record) => `${stringifyJson(record)}\n`)
    .join("")}`;
  const files = new Map([[file, Buffer.from(lost)]]);

  const events = await withFolder(files, (folder) => readAll(fromCodex(folder), file));

  expect(events).toMatchObject([
    { kind: "session", session: { id, project: "/home/ada" }, unresolved: "parent" },
    { kind: "fault" },
    { kind: "message" },
    // Who wrote in the user's place, a human or another thread, the header said.
    { kind: "message", message: { role: "user" }, isIncomplete: true },
    { kind: "part" },
  ]);
});
