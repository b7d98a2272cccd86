// The client against the real server on a real store.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createHandlers, singleNamespace } from "@pond/server";
import { createHttpServer, type HttpLimitOptions } from "@pond/server/http";
import type { IngestEvent } from "@pond/wire";
import { describe, expect, it } from "vitest";
import { type Client, createClient } from "./client.ts";
import { messageEvents, sessionEvent } from "./testing.ts";

type Limits = { readonly maxEvents?: number; readonly http?: HttpLimitOptions };

async function withRealServer(
  use: (client: Client, url: string) => Promise<void>,
  { maxEvents, http = {} }: Limits = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "pond-client-"));
  const namespaces = singleNamespace(join(folder, "store"));
  const limits = maxEvents === undefined ? {} : { maxEvents };
  const handlers = createHandlers({ namespaces, limits, host: "test" });
  const server = createHttpServer({ handlers, port: 0, limits: http });
  const { url } = await server.listen();
  try {
    await use(createClient({ url }), url);
  } finally {
    await server.stop({ deadlineMs: 0 });
    await namespaces.close();
    rmSync(folder, { recursive: true });
  }
}

const chat = (id: string, messages: number): IngestEvent[] => [
  sessionEvent(id),
  ...Array.from({ length: messages }, (_, at) =>
    messageEvents(id, `${id}-${at}`, `the lock file of ${id}, ${at}: ${"word ".repeat(at)}`, at),
  ).flat(),
];

const chatIds = (id: string, messages: number): string[] =>
  Array.from({ length: messages }, (_, at) => `${id}-${at}`);

const idsOf = async (items: AsyncIterable<{ readonly id: string }>): Promise<string[]> =>
  (await Array.fromAsync(items)).map(({ id }) => id);

describe("a real server", () => {
  it.each([
    ["at the start", [0]],
    ["before a request boundary", [9]],
    ["after a request boundary", [10]],
    ["at the end", [29]],
    ["across a request boundary", [8, 9, 10, 11]],
    ["across all request boundaries", Array.from({ length: 28 }, (_, at) => at + 1)],
    ["across a request boundary, to the end", [17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]],
    ["here and there", [0, 1, 3, 4, 7, 9, 10, 11, 15, 18, 19, 20, 22, 28]],
  ])("puts messages missing from an earlier ingest where they belong: %s", (_, missing) =>
    withRealServer(async (client) => {
      const all = chat("s", 30);
      const rows = missing.flatMap((at) => [1 + 2 * at, 2 + 2 * at]);
      await client.ingest({ events: all.filter((_unused, at) => !rows.includes(at)) });

      const options = { maxEvents: 24 };
      const first = await client.ingestAll(all, options);
      const again = await client.ingestAll(all, options);

      expect(await idsOf(client.messages("s"))).toEqual(chatIds("s", 30));
      const counts = { events: 61, accepted: 61, rejected: [] };
      const added = { messages_added: missing.length, parts_added: missing.length };
      const session = { session_id: "s", ...added, revisions: 0, rows_rejected: 0 };
      expect(first).toMatchObject({ ...counts, sessions: [session] });
      expect(again).toMatchObject({ ...counts, sessions: [{ status: "unchanged" }] });
    }),
  );

  const untimed = [sessionEvent("s"), ...chatIds("s", 30).flatMap((id) => messageEvents("s", id))];
  it.each([
    ["the whole first request is missing", chat("s", 30), 1, 33],
    ["messages have no timestamps of their own", untimed, 15, 25],
  ])("moves messages into the stream's order when %s", (_, all, from, to) =>
    withRealServer(async (client) => {
      await client.ingest({ events: all.toSpliced(from, to - from) });

      const options = { maxEvents: 24 };
      const first = await client.ingestAll(all, options);
      const again = await client.ingestAll(all, options);

      expect(await idsOf(client.messages("s"))).toEqual(chatIds("s", 30));
      expect(first.sessions[0]?.revisions).toBeGreaterThan(0);
      expect(again.sessions).toMatchObject([{ status: "unchanged", revisions: 0 }]);
    }),
  );

  it("puts a message that fills a whole request where it belongs", () =>
    withRealServer(async (client) => {
      const large = messageEvents("s", "large", "word ".repeat(20_000));
      const events = chat("s", 4);
      const all = [...events.slice(0, 5), ...large, ...events.slice(5)];
      await client.ingest({ events });

      await client.ingestAll(all, { maxBytes: 50_000 });

      expect(await idsOf(client.messages("s"))).toEqual(["s-0", "s-1", "large", "s-2", "s-3"]);
    }));

  it("puts a missing message where it belongs among large ones", () =>
    withRealServer(async (client) => {
      const all = [
        sessionEvent("s"),
        ...chatIds("s", 10).flatMap((id) => messageEvents("s", id, "word ".repeat(1600))),
      ];
      await client.ingest({ events: all.toSpliced(7, 2) });

      // As with the defaults and messages of 1.3 MB.
      await client.ingestAll(all, { maxBytes: 51_000 });

      expect(await idsOf(client.messages("s"))).toEqual(chatIds("s", 10));
    }));

  it("stores, finds and shows the messages it is sent", () =>
    withRealServer(async (client) => {
      const events = chat("s", 3);

      await expect(client.ingest({ events })).resolves.toMatchObject({
        events: 7,
        accepted: 7,
        sessions: [{ session_id: "s", status: "new", messages_added: 3 }],
      });
      await expect(client.ingest({ events })).resolves.toMatchObject({
        sessions: [{ status: "unchanged", messages_added: 0 }],
      });
      await expect(client.search({ query: "lock" })).resolves.toMatchObject({
        total_in_scope: 3,
        sessions: [{ session_id: "s" }],
      });
      await expect(client.get({ session_id: "s" })).resolves.toMatchObject({
        messages: [{ id: "s-0" }, { id: "s-1" }, { id: "s-2" }],
      });
      await expect(client.get({ session_id: "s", message_id: "s-1" })).resolves.toMatchObject({
        before: [{ id: "s-0" }],
        target: { id: "s-1", content: [{ text: "the lock file of s, 1: word " }] },
      });
      await expect(client.status()).resolves.toMatchObject({ sessions: 1, messages: 3 });
    }));

  it("pages through a session and through a search", () =>
    withRealServer(async (client) => {
      const names = ["s", "t", "u"];
      await client.ingestAll(names.flatMap((name) => chat(name, 12)));

      expect(await idsOf(client.messages("s", { limit_bytes: 200 }))).toEqual(
        Array.from({ length: 12 }, (_, at) => `s-${at}`),
      );
      const found = await Array.fromAsync(client.searchAll({ query: "lock", limit: 1 }));
      expect(found.map(({ session_id }) => session_id).sort()).toEqual(names);
    }));

  it.each<[string, Limits, { maxEvents?: number; maxBytes?: number }]>([
    ["divided by the client's limit", {}, { maxEvents: 5 }],
    ["after a refusal for too many events", { maxEvents: 6 }, {}],
    ["after a refusal for too many bytes", { http: { maxIngestBytes: 3000 } }, {}],
  ])(
    "stores a long stream sent in several requests as if sent in one: %s",
    async (_, limits, caps) => {
      const events = ["s", "t"].flatMap((name) => chat(name, 20));
      const parts = { messages_added: 20, parts_added: 20, revisions: 0, rows_rejected: 0 };
      await withRealServer(async (client) => {
        const answer = await client.ingestAll(events, caps);

        expect(answer).toMatchObject({
          events: 82,
          accepted: 82,
          rejected: [],
          sessions: ["s", "t"].map((session_id) => ({ session_id, status: "new", ...parts })),
        });
        for (const name of ["s", "t"]) {
          expect(await idsOf(client.messages(name))).toEqual(
            Array.from({ length: 20 }, (_unused, at) => `${name}-${at}`),
          );
        }
        const again = await client.ingestAll(events, { maxEvents: 7 });
        expect(again.sessions).toMatchObject(Array(2).fill({ status: "unchanged", revisions: 0 }));
      }, limits);
    },
  );

  it("can restart while a stream is being stored, and no event is lost", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pond-client-"));
    const namespaces = singleNamespace(folder);
    const handlers = createHandlers({ namespaces, host: "test" });
    let server = createHttpServer({ handlers, port: 0 });
    const { url, port } = await server.listen();
    let restarted: Promise<unknown> = Promise.resolve();
    async function* restarting(): AsyncGenerator<IngestEvent> {
      yield* chat("s", 20);
      await server.stop();
      server = createHttpServer({ handlers, port });
      restarted = delay(100).then(() => server.listen());
      yield* chat("t", 20);
    }
    try {
      const client = createClient({ url });

      const answer = await client.ingestAll(restarting(), { maxEvents: 10 });

      expect(answer).toMatchObject({ events: 82, accepted: 82 });
      await expect(client.status()).resolves.toMatchObject({ sessions: 2, messages: 40 });
    } finally {
      await restarted;
      await server.stop({ deadlineMs: 0 });
      await namespaces.close();
      rmSync(folder, { recursive: true });
    }
  });

  it("rejects rows by their places in the whole stream, also in the message text", () =>
    withRealServer(async (client) => {
      const events = chat("s", 4);
      events[6] = Object({ kind: "part", part: { session_id: "s", message_id: "s-2" } });

      const { rejected } = await client.ingestAll(events, { maxEvents: 3 });

      expect(rejected).toMatchObject([
        { event: 5, code: "left_out", details: { event: 6 } },
        { event: 6, code: "invalid" },
      ]);
      expect(rejected[0]?.message).toMatch(/ event 6$/);
    }));

  it("keeps every digit of a number from ingest to get", () =>
    withRealServer(async (client) => {
      const [session, header, part] = chat("s", 1);
      if (session?.kind !== "session" || header?.kind !== "message" || part === undefined) return;
      const options = { big: JSON.rawJSON("12345678901234567890") };
      const message = { ...header.message, options };
      await client.ingest({ events: [session, { kind: "message", message }, part] });

      const page = await client.get({ session_id: "s", response_mode: "verbatim" });

      expect(JSON.stringify(page.messages[0]?.options)).toBe('{"big":12345678901234567890}');
    }));

  it.each<[string, (client: Client) => Promise<unknown>, object]>([
    [
      "an unknown session",
      (client) => client.get({ session_id: "none" }),
      { code: "not_found", status: 404 },
    ],
    [
      "an unknown namespace",
      (client) => client.status({ namespace: "team" }),
      { code: "namespace_unknown", status: 403 },
    ],
    [
      "an unknown field",
      (client) => client.search(Object({ query: "q", sesion: "s" })),
      { code: "validation_failed", details: { issues: [{ path: "sesion" }] } },
    ],
  ])("answers an error with its code and a request id: %s", (_, ask, error) =>
    withRealServer(async (client) => {
      await client.ingest({ events: chat("s", 1) });

      await expect(ask(client)).rejects.toMatchObject({
        name: "WireError",
        requestId: expect.any(String),
        ...error,
      });
    }),
  );

  it("makes the client fail with an AnswerError when the address has an unknown path", () =>
    withRealServer(async (_, url) => {
      await expect(createClient({ url: `${url}/elsewhere` }).status()).rejects.toMatchObject({
        name: "AnswerError",
        message: expect.stringContaining("there is no such path"),
      });
    }));
});
