import { parseJson, partsOf, stringifyJson } from "@pond/canonical";
import { loadLineage } from "@pond/sessions";
import { prefix } from "@pond/substrate";
import type { IngestEvent, ShownMessage } from "@pond/wire";
import { afterAll, describe, expect, test } from "vitest";
import { chat, header, sessionOf, testPond, textMessage, textPart } from "../testing.ts";

const pond = testPond({ limits: { maxEvents: 200 } });
afterAll(() => pond.remove());

const nothing = { messages_added: 0, parts_added: 0, revisions: 0, rows_rejected: 0 };

async function verbatim(session_id: string): Promise<readonly ShownMessage[]> {
  const page = await pond.ask("get", { session_id, response_mode: "verbatim" });
  return "messages" in page ? page.messages : [];
}

async function texts(session_id: string): Promise<unknown[]> {
  const page = await pond.ask("get", { session_id });
  return "messages" in page ? page.messages.map(({ text }) => text) : [];
}

test.each([
  ["a shared server adds no host", undefined, {}, {}],
  ["a personal server adds its own host", "here", {}, { pond: { host: "here" } }],
  [
    "a session's own host is kept",
    "here",
    { pond: { host: "laptop" } },
    { pond: { host: "laptop" } },
  ],
])("records the machine that a session came from: %s", async (_, host, options, kept) => {
  const asking = testPond({ host, isPersonal: host !== undefined });
  const event = sessionOf("from-elsewhere");
  const session = { ...event.session, options };
  await asking.ask("ingest", { events: [{ ...event, session }] });

  const page = await asking.ask("get", { session_id: "from-elsewhere" });

  expect(page.session.options).toEqual(kept);
  await asking.remove();
});

test("stores the events it is given, and reports the counts for each session", async () => {
  const answer = await pond.ask("ingest", {
    events: [...chat("new-1", ["a", "b"]), ...chat("new-2", ["c"], { agent: "codex" })],
  });

  expect(answer).toEqual({
    ...{ events: 8, accepted: 8, rejected: [], took_ms: expect.any(Number) },
    sessions: [
      { ...nothing, session_id: "new-1", status: "new", messages_added: 2, parts_added: 2 },
      { ...nothing, session_id: "new-2", status: "new", messages_added: 1, parts_added: 1 },
    ],
  });
  const [first] = await verbatim("new-1");
  expect(first).toEqual({
    ...{ id: "m0", role: "user", timestamp: "2026-01-01T00:00:00.000Z", options: {} },
    content: [expect.objectContaining({ id: "p", text: "a", provenance: "conversational" })],
  });
});

test("changes nothing when the same events come again", async () => {
  const events = chat("again", ["a", "b"]);
  await pond.ask("ingest", { events });

  const { accepted, sessions } = await pond.ask("ingest", { events });

  expect(accepted).toBe(5);
  expect(sessions).toEqual([{ ...nothing, session_id: "again", status: "unchanged" }]);
  expect(await texts("again")).toEqual(["a", "b"]);
});

test("adds the new messages of a session, though the old ones are not sent again", async () => {
  await pond.ask("ingest", { events: chat("grown", ["a", "b"]) });

  const { sessions } = await pond.ask("ingest", {
    events: [sessionOf("grown"), ...textMessage("grown", 2, "c")],
  });

  const grown = { session_id: "grown", status: "grown", messages_added: 1, parts_added: 1 };
  expect(sessions).toEqual([{ ...nothing, ...grown }]);
  expect(await texts("grown")).toEqual(["a", "b", "c"]);
});

test("keeps the first value of a message that comes again, shows the later, and marks it as revised", async () => {
  await pond.ask("ingest", { events: chat("revised", ["a", "b"]) });

  const { sessions } = await pond.ask("ingest", {
    events: [sessionOf("revised"), ...textMessage("revised", 0, "A")],
  });

  expect(sessions).toEqual([
    { ...nothing, session_id: "revised", status: "revised", revisions: 1 },
  ]);
  expect(await texts("revised")).toEqual(["A", "b"]);
  const store = await pond.namespaces.open(undefined, "read");
  const { root } = await loadLineage(store, "revised", { at: "first" });
  expect(root.messages.flatMap(partsOf)).toMatchObject([{ text: "a" }, { text: "b" }]);
  const { sessions: found } = await pond.ask("search", { query: "A", session: "revised" });
  expect(found.flatMap(({ matches }) => matches)).toMatchObject([{ text: "A", revised: true }]);
});

test.each([
  ["source_agent", { agent: "codex" }],
  ["project", { project: "/elsewhere" }],
])(
  "rejects a change of a session's %s, and stores the session's new messages",
  async (field, labels) => {
    const id = `immutable-${field}`;
    await pond.ask("ingest", { events: chat(id, ["a"]) });

    const answer = await pond.ask("ingest", { events: chat(id, ["a", "b"], labels) });

    expect(answer).toMatchObject({
      ...{ events: 5, accepted: 4 },
      rejected: [{ event: 0, code: "immutable", details: { session_id: id } }],
      sessions: [{ status: "grown", messages_added: 1, rows_rejected: 1 }],
    });
    const page = await pond.ask("get", { session_id: id });
    expect(page.session).toMatchObject({ source_agent: "claude-code", project: "/work/pond" });
    expect(await texts(id)).toEqual(["a", "b"]);
  },
);

test("stores the sound events, and reports each unsound one by its place", async () => {
  const answer = await pond.ask("ingest", {
    events: [
      ...chat("sound", ["a"]),
      ...textMessage("nowhere", 0, "b"),
      sessionOf("partly"),
      { kind: "neither" } as unknown as IngestEvent,
      ...textMessage("partly", 0, "c"),
      ...textMessage("partly", 1, "d"),
      textPart("partly", 1, "e"),
    ],
  });

  expect(answer).toMatchObject({ events: 12, accepted: 6 });
  expect(answer.rejected.map(({ event, code }) => `${event} ${code}`)).toEqual([
    "3 out_of_order",
    "4 left_out",
    "6 invalid",
    "9 left_out",
    "10 left_out",
    "11 duplicate",
  ]);
  expect(answer.sessions).toEqual([
    { ...nothing, session_id: "sound", status: "new", messages_added: 1, parts_added: 1 },
    { ...nothing, session_id: "nowhere", status: "failed", rows_rejected: 2 },
    {
      ...{ session_id: "partly", status: "new", messages_added: 1, parts_added: 1, revisions: 0 },
      rows_rejected: 3,
    },
  ]);
  expect(await texts("partly")).toEqual(["c"]);
  await expect(pond.ask("get", { session_id: "nowhere" })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("accepts as many events as its limit allows, and refuses one more", async () => {
  const events = [sessionOf("full"), ...Array.from({ length: 199 }, (_, at) => header("full", at))];

  expect(await pond.ask("ingest", { events })).toMatchObject({ accepted: 200 });
  await expect(
    pond.ask("ingest", { events: [...events, header("full", 199)] }),
  ).rejects.toMatchObject({
    code: "validation_failed",
    details: { field: "events", limit: 200 },
  });
  expect(await pond.ask("ingest", { events: [] })).toMatchObject({ accepted: 0, sessions: [] });
});

test("neither loses nor repeats messages of concurrent requests", async () => {
  const writers = Array.from({ length: 8 }, (_, at) => [
    ...chat(`own-${at}`, ["x", "y"]),
    sessionOf("shared"),
    ...textMessage("shared", at, `text ${at}`),
  ]);

  await Promise.all(writers.map((events) => pond.ask("ingest", { events })));

  expect((await texts("shared")).sort()).toEqual(writers.map((_, at) => `text ${at}`));
  for (const at of writers.keys()) expect(await texts(`own-${at}`)).toEqual(["x", "y"]);
});

test("counts a message only in the one of several concurrent requests that added it", async () => {
  const events = chat("raced", ["x", "y"]);

  const answers = await Promise.all(
    Array.from({ length: 6 }, () => pond.ask("ingest", { events })),
  );

  const added = answers.flatMap(({ sessions }) => sessions.map((each) => each.messages_added));
  expect(added.sort()).toEqual([0, 0, 0, 0, 0, 2]);
});

test("stamps no two requests with the same time, though the clock stands still", async () => {
  for (const id of ["clock-1", "clock-2"]) {
    await pond.ask("ingest", { events: chat(id, ["x"]) });
  }

  const { store } = await pond.namespaces.open(undefined, "read");
  const rows = await store.table("messages").rows({
    columns: ["ingested_at"],
    where: prefix("session_id", "clock-"),
  });

  expect(new Set(rows.map((row) => row["ingested_at"])).size).toBe(2);
});

test("stores nothing of an aborted request", async () => {
  const request = { protocol_version: 1, events: chat("aborted", ["a"]) };
  const reason = new Error("gone");

  const asking = pond.handlers.handle("ingest", request, { signal: AbortSignal.abort(reason) });

  await expect(asking).rejects.toBe(reason);
  await expect(pond.ask("get", { session_id: "aborted" })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("an ingest aborted midway can be repeated", async () => {
  const stop = new AbortController();
  const events = [...chat("stopped-1", ["a"]), ...chat("stopped-2", ["b"])];
  const request = { protocol_version: 1, events };
  const asking = pond.handlers.handle("ingest", request, { signal: stop.signal });
  setImmediate(() => stop.abort(new Error("gone")));
  await asking.catch(() => undefined);

  await pond.ask("ingest", { events });

  expect([await texts("stopped-1"), await texts("stopped-2")]).toEqual([["a"], ["b"]]);
});

describe("gives back unchanged", () => {
  const depth = 9_000;
  test.each<[string, string]>([
    ["deep nesting", `{"deep":${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}}`],
    ["keys of every object", '{"__proto__":{"x":1},"constructor":null,"toString":[],"":0}'],
    ["numbers no double holds", '{"big":12345678901234567890123,"fine":0.1000,"e":1e400}'],
    ["half a character", '{"half":"\\ud800"}'],
    ["signs that end texts and queries", '{"\\u0000\'\\"\\\\;--":"\\u0000\\u2028"}'],
  ])("%s", async (name, json) => {
    const options = parseJson(json);
    const id = `hostile ${name}`;
    const [session, message, part] = chat(id, ["x"]) as unknown as Record<string, object>[];
    const events = [
      { kind: "session", session: { ...session?.["session"], options } },
      { kind: "message", message: { ...message?.["message"], options } },
      { kind: "part", part: { ...part?.["part"], options } },
    ];

    const answer = await pond.handlers.handle("ingest", { protocol_version: 1, events });

    expect(answer.rejected).toEqual([]);
    const page = await pond.handlers.handle("get", {
      ...{ protocol_version: 1, session_id: id, response_mode: "verbatim", limit_bytes: 1_000_000 },
    });
    const [shown] = "messages" in page ? page.messages : [];
    const [first] = Array.isArray(shown?.content) ? shown.content : [];
    expect(stringifyJson(shown?.options ?? {})).toBe(stringifyJson(options));
    expect(stringifyJson(first?.options ?? {})).toBe(stringifyJson(options));
    expect({}).not.toHaveProperty("x");
  });

  test.each([
    ["an id with ../ in it", "../../etc/passwd"],
    ["an id with an SQL injection", "x' OR '1'='1"],
    ["the id __proto__", "__proto__"],
    ["an id with a NUL and line breaks", "a\0b\r\n"],
    ["an id of 4096 characters", "x".repeat(4096)],
  ])("%s", async (_, id) => {
    await pond.ask("ingest", { events: chat(id, ["a"]) });

    expect(await texts(id)).toEqual(["a"]);
    const { sessions } = await pond.ask("search", { query: "a", session: id });
    expect(sessions.map(({ session_id }) => session_id)).toEqual([id]);
  });

  test.each([
    ["a text of five million characters", `${"long ".repeat(1_000_000)}end`],
    ["a text of half a character", "half \ud800 a character"],
    ["an empty text", ""],
  ])("%s", async (name, text) => {
    await pond.ask("ingest", { events: chat(`text ${name}`, [text]) });

    expect(await verbatim(`text ${name}`)).toMatchObject([{ content: [{ text }] }]);
  });
});
