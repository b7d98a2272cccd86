import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import { createClient } from "@pond/client";
import { search } from "@pond/search";
import { createHandlers, type Handlers, type Namespaces, singleNamespace } from "@pond/server";
import { createHttpServer } from "@pond/server/http";
import { loadLineage, openSessions, type SessionStore } from "@pond/sessions";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileStore } from "./files/index.ts";
import { pondSink } from "./pond-sink.ts";
import { assistant, call, contentOf, idsOf, testRecorder, textsOf, user } from "./testing.ts";
import type { WireEvent } from "./wire-events.ts";

let folder: string;
let namespaces: Namespaces;
let handlers: Handlers;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-recorder-"));
  namespaces = singleNamespace(join(folder, "store"));
  handlers = createHandlers({ namespaces, host: "test" });
});
afterEach(async () => {
  await namespaces.close();
  rmSync(folder, { recursive: true });
});

const inProcess = (events: readonly WireEvent[]) =>
  handlers.handle("ingest", { protocol_version: 1, events });

/** As the store has it, without the machine it notes. */
async function storedSession(sessionId: string): Promise<Lineage> {
  const { root, descendants } = await withStore((store) => loadLineage(store, sessionId));
  const plain = ({ session, messages }: SessionContent) => {
    const { pond, ...options } = session.options;
    expect(pond).toEqual({ host: "test" });
    return { session: { ...session, options }, messages };
  };
  return { root: plain(root), descendants: descendants.map(plain) };
}

async function withStore<T>(use: (store: SessionStore) => Promise<T>): Promise<T> {
  const store = await openSessions(join(folder, "store"), { mode: "read" });
  try {
    return await use(store);
  } finally {
    store.close();
  }
}

test("a session can be found while it is recorded, and is complete when it is over", async () => {
  const recorder = testRecorder({ sink: pondSink(inProcess) });
  const loop = recorder.loop();
  loop.say(user("Why is every third thread skipped?"));
  await recorder.checkpoint();
  const early = await withStore((store) => search(store, { query: "third thread" }));

  loop.spawn(call).say(assistant("The modulus is wrong."));
  loop.end();
  await recorder.flush();

  expect(early.sessions.map(({ session_id }) => session_id)).toEqual(["s1"]);
  expect(await storedSession("s1")).toEqual({
    root: contentOf(recorder, "s1"),
    descendants: [contentOf(recorder, "s2")],
  });
});

test("stored messages are not sent again, and are stored once even if sent again", async () => {
  const sent: number[] = [];
  const recorder = testRecorder({
    sink: pondSink(async (events) => {
      sent.push(events.length);
      return inProcess(events);
    }),
  });
  const loop = recorder.loop();
  await recorder.checkpoint();
  loop.say(user("Why?"));
  await recorder.checkpoint();
  const another = pondSink(inProcess);
  await another.save(contentOf(recorder));
  await another.save(contentOf(recorder));

  // The session's own event comes each time, and a message with its part is two.
  expect(sent).toEqual([3, 3]);
  expect((await storedSession("s1")).root).toEqual(contentOf(recorder));
});

test("a session resumed from a pond continues, and only its new messages are stored", async () => {
  const recorder = testRecorder({ sink: pondSink(inProcess) });
  recorder.loop().say(user("Why?"));
  await recorder.checkpoint();

  const statuses: string[] = [];
  const again = testRecorder({
    sink: pondSink(async (events) => {
      const answer = await inProcess(events);
      statuses.push(
        ...answer.sessions.map(({ status, messages_added }) => `${status} ${messages_added}`),
      );
      return answer;
    }),
  });
  const { root } = await withStore((store) => loadLineage(store, "s1"));
  expect(again.resume(root)).toEqual(recorder.session("s1"));
  again.attach("s1.w.1").say(assistant("Because."));
  await again.checkpoint();

  expect(statuses).toEqual(["grown 1"]);
  expect((await storedSession("s1")).root).toEqual(contentOf(again));
});

test("two recorders that share a sink send everything that either recorded", async () => {
  const sent: string[] = [];
  const sink = pondSink(async (events) => {
    sent.push(...events.flatMap((event) => (event.kind === "part" ? said(event.part) : [])));
    return inProcess(events);
  });
  const recorder = testRecorder({ sink });
  const loop = recorder.loop();
  loop.say(user("Why?"));
  await recorder.checkpoint();
  const other = testRecorder({ sink, writer: "other" });
  other.resume((await storedSession("s1")).root);
  other.attach(loop.loopId).say(user("from the other"));
  await other.checkpoint();
  loop.say(user("from here"));
  await recorder.checkpoint();

  expect(new Set(sent)).toEqual(new Set(["Why?", "from the other", "from here"]));
});

const said = (part: object): string[] => ("text" in part ? [String(part.text)] : []);

test("a second writer of a session gets a conflict, and no message is replaced", async () => {
  const first = testRecorder({ sink: pondSink(inProcess), writer: "first" });
  const loop = first.loop({ sessionId: "chat-42" });
  for (const text of ["May I delete the backups?", "And the logs?"]) loop.say(user(text));
  await first.checkpoint();
  const later = { now: () => new Date("2026-03-02T09:00:00Z"), writer: "second" };
  const second = testRecorder({ sink: pondSink(inProcess), ...later });
  const other = second.loop({ sessionId: "chat-42" });
  const conflict = { code: "conflict", details: { session_id: "chat-42" } };
  await expect(second.checkpoint()).rejects.toMatchObject(conflict);

  // What is said after that is stored, too, of both.
  other.say(user("Which yarn?"));
  await expect(second.checkpoint()).rejects.toMatchObject(conflict);
  loop.say(user("And the mails?"));
  await expect(first.flush()).rejects.toMatchObject(conflict);
  other.say(user("Wool?"));
  await expect(second.flush()).rejects.toMatchObject(conflict);

  const { root } = await storedSession("chat-42");
  expect(textsOf(root.messages).toSorted()).toEqual([
    "user: And the logs?",
    "user: And the mails?",
    "user: May I delete the backups?",
    "user: Which yarn?",
    "user: Wool?",
  ]);
  second.drain();
  expect(idsOf(second.resume(root).loops)).toEqual(["chat-42.first.1", "chat-42.second.1"]);
  second.loop().say(user("Both are here."));
  await second.flush();
});

test("two recorders that continue a session, each in its own loop, both add to it", async () => {
  const recorder = testRecorder({ sink: pondSink(inProcess) });
  recorder.loop().say(user("Why?"));
  await recorder.flush();
  const { root } = await storedSession("s1");
  for (const writer of ["one", "two"]) {
    const other = testRecorder({ sink: pondSink(inProcess), writer });
    other.resume(root);
    other.loop().say(user(`from ${writer}`));
    await other.checkpoint();
  }

  const { messages } = (await storedSession("s1")).root;
  expect(textsOf(messages)).toEqual(["user: Why?", "user: from one", "user: from two"]);
  expect(testRecorder().resume((await storedSession("s1")).root).loops).toHaveLength(3);
});

test("two recorders that continue one loop do not replace each other's messages", async () => {
  const recorder = testRecorder({ sink: pondSink(inProcess) });
  recorder.loop();
  await recorder.checkpoint();
  const { root } = await storedSession("s1");
  for (const writer of ["one", "two"]) {
    const other = testRecorder({ sink: pondSink(inProcess), writer });
    other.resume(root);
    other.attach("s1.w.1").say(user(`from ${writer}`));
    await other.checkpoint();
  }

  const { messages } = (await storedSession("s1")).root;
  expect(textsOf(messages)).toEqual(["user: from one", "user: from two"]);
});

test("a pond behind an HTTP server is reached through @pond/client", async () => {
  const server = createHttpServer({ handlers, port: 0 });
  const client = createClient({ url: (await server.listen()).url });
  try {
    const sink = pondSink((events) => client.ingestAll(events));
    const recorder = testRecorder({ sink });
    recorder.loop().say(user("Why?"));
    await recorder.flush();

    const messages = await Array.fromAsync(client.messages("s1"));
    expect(messages.some(({ id }) => id === "s1.w.1#1.w")).toBe(true);
  } finally {
    await server.stop({ deadlineMs: 0 });
  }
});

test("events that could not be sent are sent the next time, from where it failed", async () => {
  let failures = 1;
  const kept: WireEvent[] = [];
  const recorder = testRecorder({
    includeStreamingEvents: true,
    sink: pondSink(async (events) => {
      if (kept.length > 0 && failures > 0) {
        failures -= 1;
        throw new Error("the line is down");
      }
      kept.push(...events);
      return { rejected: [], sessions: [] };
    }),
  });
  const loop = recorder.loop();
  for (let count = 0; count < 6_000; count += 1) loop.stream(count);
  await recorder.checkpoint();

  const ids = kept.flatMap((event) => (event.kind === "message" ? [event.message.id] : []));
  expect(ids).toEqual(contentOf(recorder).messages.map(({ id }) => id));
});

test("the error for events that a pond refuses says why", async () => {
  const recorder = testRecorder({ sink: pondSink(inProcess) });
  recorder.loop();
  await recorder.flush();
  const other = testRecorder({ project: "/elsewhere", sink: pondSink(inProcess) });
  other.loop();

  await expect(other.checkpoint()).rejects.toMatchObject({
    code: "ingest_refused",
    details: { session_id: "s1", rejected: [{ code: "immutable" }] },
  });
});

test("an event that a pond refuses does not keep later events from it", async () => {
  const sent = new Set<string>();
  const recorder = testRecorder({
    includeStreamingEvents: true,
    sink: pondSink(async (events) => {
      const ids = events.flatMap((event) => (event.kind === "message" ? [event.message.id] : []));
      for (const id of ids) sent.add(id);
      const isRefused = ids.some((id) => id === "s1.w.1#1.w");
      const rejected = isRefused ? [{ code: "validation_failed", message: "too large" }] : [];
      return { rejected, sessions: [] };
    }),
  });
  const loop = recorder.loop();
  for (let count = 0; count < 6_000; count += 1) loop.stream(count);

  for (const _ of ["at first", "again"]) {
    await expect(recorder.checkpoint()).rejects.toMatchObject({
      code: "ingest_refused",
      details: { rejected: [{ message: "too large" }] },
    });
  }
  expect(contentOf(recorder).messages.filter(({ id }) => !sent.has(id))).toEqual([]);
});

test("a session in a pond shows the messages of all its loops", async () => {
  const recorder = testRecorder({ sink: pondSink(inProcess) });
  const group = recorder.parallelGroup({ branches: 2, prompt: user("Which yarn?") });
  group.start(0).say(assistant("Wool."));
  group.start(1).say(assistant("Linen."));
  group.select(1);
  await recorder.flush();

  const { root } = await withStore((store) => loadLineage(store, "s1"));
  expect(textsOf(root.messages)).toEqual([
    "user: Which yarn?",
    "assistant: Wool.",
    "assistant: Linen.",
  ]);
});

test("a session kept in files can be stored in a pond later", async () => {
  const files = createFileStore(join(folder, "sessions"));
  const recorder = testRecorder({ sink: files });
  recorder.loop().say(user("Why?"));
  await recorder.flush();

  const sink = pondSink(inProcess);
  for (const id of await files.listIds()) {
    const content = await files.load(id);
    if (content) await sink.save(content);
  }

  expect((await storedSession("s1")).root).toEqual(contentOf(recorder));
});
