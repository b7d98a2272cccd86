import { getEventListeners } from "node:events";
import type { IngestEvent, IngestRequest, IngestResponse, RejectedRow } from "@pond/wire";
import { describe, expect, it } from "vitest";
import type { Client } from "./client.ts";
import {
  failWith,
  messageEvents,
  type Reply,
  respondWith,
  sessionEvent,
  withServer,
} from "./testing.ts";

/** Two sessions: one of three messages, one of one. */
const stream: readonly IngestEvent[] = [
  sessionEvent("s"),
  ...messageEvents("s", "a"),
  ...messageEvents("s", "b"),
  ...messageEvents("s", "c"),
  sessionEvent("t"),
  ...messageEvents("t", "d"),
];

const idOf = (event: IngestEvent): string =>
  event.kind === "session"
    ? event.session.id
    : event.kind === "message"
      ? event.message.id
      : event.part.id;

/** A server of these caps, which refuses the events of these ids, and stores the others once. */
function storing({
  maxEvents = 1000,
  maxBytes = 1e6,
  refused = [] as readonly string[],
} = {}): Reply {
  const known = new Set<string>();
  return (response, { body }) => {
    const { events }: IngestRequest = JSON.parse(body);
    if (body.length > maxBytes) {
      const details = { kind: "body_too_large", limit: maxBytes };
      return failWith(400, "validation_failed", details)(response, { body } as never);
    }
    if (events.length > maxEvents) {
      const details = { field: "events", limit: maxEvents };
      return failWith(400, "validation_failed", details)(response, { body } as never);
    }
    respondWith(200, answerTo(events, refused, known))(response, { body } as never);
    for (const event of events) known.add(idOf(event));
  };
}

function answerTo(
  events: readonly IngestEvent[],
  refused: readonly string[] = [],
  known: ReadonlySet<string> = new Set(),
): IngestResponse {
  const rejected = events.flatMap((event, at): RejectedRow[] =>
    refused.includes(idOf(event))
      ? [{ event: at, code: "invalid", message: idOf(event), details: {} }]
      : [],
  );
  const opened = events.flatMap((event) => (event.kind === "session" ? [event.session.id] : []));
  return {
    events: events.length,
    accepted: events.length - rejected.length,
    rejected,
    sessions: opened.map((session_id) => {
      const own = events.filter((event) => JSON.stringify(event).includes(`"${session_id}"`));
      const added = own.filter((event) => !known.has(idOf(event)));
      return {
        session_id,
        status: own.some((event) => idOf(event) === "a" || idOf(event) === "t") ? "new" : "grown",
        messages_added: added.filter(({ kind }) => kind === "message").length,
        parts_added: added.filter(({ kind }) => kind === "part").length,
        revisions: 0,
        rows_rejected: own.filter((event) => refused.includes(idOf(event))).length,
      };
    }),
    took_ms: 1,
  };
}

const stored = (ids: readonly string[]): IngestResponse["sessions"] =>
  ids.map((session_id) => ({
    session_id,
    status: "new",
    messages_added: session_id === "s" ? 3 : 1,
    parts_added: session_id === "s" ? 3 : 1,
    revisions: 0,
    rows_rejected: 0,
  }));

type Options = Parameters<Client["ingestAll"]>[1];

/** What the server was sent, by ids, and what came of it. */
async function send(
  replies: readonly Reply[],
  options: Options,
  events: Iterable<IngestEvent> | AsyncIterable<IngestEvent> = stream,
) {
  return withServer(replies, async ({ client, seen }) => {
    const answer = await client.ingestAll(events, options).catch((error: unknown) => error);
    const requests = seen.map(({ body }) =>
      JSON.parse(body)
        .events.map((event: IngestEvent) => idOf(event))
        .join(" "),
    );
    return { answer, requests, seen };
  });
}

describe("ingestAll", () => {
  const whole = { events: 10, accepted: 10, rejected: [], sessions: stored(["s", "t"]) };
  const all = "s a a-0 b b-0 c c-0 t d d-0";

  it.each<[string, Options, Reply, string[]]>([
    ["one request when everything fits", {}, storing(), [all]],
    [
      "a message stays whole, and each request begins with its session",
      { maxEvents: 5 },
      storing(),
      ["s a a-0 b b-0", "s a a-0 b b-0 c c-0", "s b b-0 c c-0", "t d d-0"],
    ],
    [
      "a message larger than the limit is sent with its neighbours",
      { maxEvents: 1 },
      storing(),
      ["s", "s a a-0 b b-0", "s a a-0 b b-0 c c-0", "s b b-0 c c-0", "t", "t d d-0"],
    ],
    [
      "a message is sent alone when the server takes no more",
      { maxEvents: 1 },
      storing({ maxEvents: 4 }),
      ["s", "s a a-0 b b-0", "s a a-0", "s b b-0", "s c c-0", "t", "t d d-0"],
    ],
    [
      "requests are limited by bytes as by events",
      { maxBytes: 800 },
      storing(),
      ["s a a-0 b b-0", "s a a-0 b b-0 c c-0", "s b b-0 c c-0 t", "t d d-0"],
    ],
    [
      "a request refused for too many events is sent in halves with neighbours",
      { maxEvents: 9 },
      storing({ maxEvents: 7 }),
      [
        "s a a-0 b b-0 c c-0 t",
        ...["s a a-0 b b-0", "s a a-0 b b-0 c c-0", "s b b-0 c c-0 t"],
        "t d d-0",
      ],
    ],
  ])("divides the stream into requests in order: %s", async (_, options, reply, expected) => {
    const { answer, requests } = await send([reply], options);

    expect(requests).toEqual(expected);
    expect(answer).toMatchObject(whole);
  });

  const long = [
    sessionEvent("s"),
    ...["a", "b", "c", "w", "e", "f", "g"].flatMap((id) => messageEvents("s", id)),
    ...stream.slice(7),
  ];

  it("sends the messages around a cut in both requests, and counts them once", async () => {
    const { answer, requests } = await send([storing()], { maxEvents: 13 }, long);

    expect(requests).toEqual([
      "s a a-0 b b-0 c c-0 w w-0 e e-0 f f-0",
      "s e e-0 f f-0 g g-0 t d d-0",
    ]);
    const [s, t] = stored(["s", "t"]);
    expect(answer).toMatchObject({ events: 18, accepted: 18, rejected: [] });
    expect(answer).toMatchObject({ sessions: [{ ...s, messages_added: 7, parts_added: 7 }, t] });
  });

  it("reports rejected events around a cut only once each", async () => {
    const reply = storing({ refused: ["e-0", "f"] });

    const { answer } = await send([reply], { maxEvents: 13 }, long);

    expect(answer).toMatchObject({
      events: 18,
      accepted: 16,
      rejected: [{ event: 10 }, { event: 11 }],
      sessions: [{ rows_rejected: 2 }, { rows_rejected: 0 }],
    });
  });

  it("repeats only the session event when the cut comes right after it", async () => {
    const events = [...long.slice(0, 11), ...stream.slice(7)];

    const { requests } = await send([storing()], { maxEvents: 12 }, events);

    expect(requests).toEqual(["s a a-0 b b-0 c c-0 w w-0 e e-0 t", "t d d-0"]);
  });

  it("sends a message once per request though the stream repeats it", async () => {
    const again = messageEvents("s", "e", "later");
    const events = [...long.slice(0, 11), ...again, ...long.slice(11)];

    const { requests } = await send([storing()], { maxEvents: 13 }, events);

    expect(requests).toEqual(["s a a-0 b b-0 c c-0 w w-0 e e-0", "s e e-0 f f-0 g g-0 t d d-0"]);
  });

  /** Messages of a bit more than 4,000 bytes each. */
  const large = ["a", "b", "c", "w", "e", "f", "g", "h", "i"].flatMap((id) =>
    messageEvents("s", id, "x".repeat(4000)),
  );

  it("sends the messages around a cut in both requests, however large they are", async () => {
    const events = [sessionEvent("s"), ...large.slice(0, 8)];

    const { requests } = await send([storing()], { maxBytes: 10_000 }, events);

    expect(requests).toEqual([
      "s a a-0 b b-0",
      "s a a-0 b b-0 c c-0",
      "s b b-0 c c-0 w w-0",
      "s c c-0 w w-0",
    ]);
  });

  it("makes requests smaller after one was refused for its bytes, still repeating messages around cuts", async () => {
    const events = [sessionEvent("s"), ...large];

    const { answer, requests } = await send(
      [storing({ maxBytes: 20_000 })],
      { maxBytes: 28_000 },
      events,
    );

    expect(requests).toEqual([
      "s a a-0 b b-0 c c-0 w w-0 e e-0 f f-0",
      ...["s a a-0 b b-0 c c-0", "s b b-0 c c-0 w w-0", "s c c-0 w w-0 e e-0 f f-0"],
      ...["s e e-0 f f-0 g g-0 h h-0", "s g g-0 h h-0 i i-0"],
    ]);
    expect(answer).toMatchObject({ events: 19, accepted: 19, rejected: [] });
  });

  it("sends a large message without its neighbours when they make the request too large", async () => {
    const large = messageEvents("s", "large", "x".repeat(2000));
    const events = [...stream.slice(0, 3), ...large, ...stream.slice(3, 7)];
    const reply = storing({ maxBytes: 2700 });

    const { answer, requests } = await send([reply], { maxBytes: 2500 }, events);

    expect(requests).toContain("s a a-0 large large-0 b b-0");
    expect(requests).toContain("s large large-0");
    expect(answer).toMatchObject({ events: 9, accepted: 9, rejected: [] });
  });

  it("sends the protocol version and the namespace with every request", async () => {
    const { seen } = await send([storing()], { maxEvents: 7, namespace: "team" });

    expect(seen.map(({ body }) => JSON.parse(body))).toMatchObject(
      Array(2).fill({ protocol_version: 1, namespace: "team" }),
    );
  });

  it("reads an async stream as it sends, and reports progress", async () => {
    let read = 0;
    async function* slowly() {
      for (const event of stream) {
        read += 1;
        yield event;
      }
    }
    const progress: number[][] = [];
    const onProgress = ({ events }: IngestResponse) => void progress.push([events, read]);

    const { answer } = await send([storing()], { maxEvents: 5, onProgress }, slowly());

    expect(answer).toMatchObject(whole);
    expect(progress).toEqual([
      [5, 8],
      [7, 8],
      [7, 10],
      [10, 10],
    ]);
  });

  it("sends no request for an empty stream", async () => {
    const { answer, requests } = await send([storing()], {}, []);

    expect(requests).toEqual([]);
    expect(answer).toEqual({ events: 0, accepted: 0, rejected: [], sessions: [], took_ms: 0 });
  });

  it("reports rejected events by their places in the stream, each once", async () => {
    const reply = storing({ refused: ["s", "c", "d-0"] });

    const { answer } = await send([reply], { maxEvents: 4 });

    expect(answer).toMatchObject({
      events: 10,
      accepted: 7,
      rejected: [
        { event: 0, message: "s" },
        { event: 5, message: "c" },
        { event: 9, message: "d-0" },
      ],
      sessions: [
        { session_id: "s", rows_rejected: 2 },
        { session_id: "t", rows_rejected: 1 },
      ],
    });
  });

  it.each([
    ["its message was refused: event 3", "its message was refused: event 5"],
    ["event 3 was refused", "event 3 was refused"],
    ["its session was refused: event 33", "its session was refused: event 33"],
    ["its message was refused", "its message was refused"],
  ])(
    "translates the event index in a rejection to the place in the stream: %s",
    async (said, message) => {
      const left = { event: 4, code: "left_out", message: said, details: { event: 3 } };
      const rejecting: Reply = respondWith(200, { ...answerTo([]), rejected: [left] });

      const { answer } = await send(
        [storing(), storing(), storing(), rejecting, storing()],
        { maxEvents: 3 },
        stream,
      );

      expect(answer).toMatchObject({ rejected: [{ event: 6, message, details: { event: 5 } }] });
    },
  );

  const server = storing();
  const another = storing();
  it.each<[string, Reply, RegExp]>([
    ["the server", storing({ maxBytes: 1500 }), /validation_failed/],
    [
      "the server, by its arrays and objects",
      (response, request) => {
        const reply = failWith(400, "validation_failed", {
          kind: "body_too_many_objects",
          limit: 90,
        });
        (request.body.length > 1500 ? reply : another)(response, request);
      },
      /validation_failed/,
    ],
    [
      "a proxy",
      (response, request) =>
        (request.body.length > 1500 ? respondWith(413, "<html>") : server)(response, request),
      /takes no request this large$/,
    ],
  ])("leaves out only the message that is too large for %s", async (_, reply, message) => {
    const large = messageEvents("s", "large", "x".repeat(2000));
    const events = [...stream.slice(0, 3), ...large, ...stream.slice(3)];

    const { answer } = await send([reply], {}, events);

    expect(answer).toMatchObject({
      events: 12,
      accepted: 10,
      rejected: [
        { event: 3, code: "invalid", message: expect.stringMatching(message) },
        { event: 4, code: "left_out", details: { event: 3 } },
      ],
      sessions: stored(["s", "t"]),
    });
  });

  const slowBeyond =
    (bytes: number, reply: Reply): Reply =>
    (response, request) => {
      const tooSlow = failWith(400, "validation_failed", { kind: "body_too_slow", limit: 30_000 });
      (request.body.length > bytes ? tooSlow : reply)(response, request);
    };

  it("makes requests smaller that do not arrive in time", async () => {
    const { answer, requests } = await send([slowBeyond(1_100, storing())], {});

    expect(answer).toMatchObject({ events: 10, accepted: 10, sessions: stored(["s", "t"]) });
    expect(requests).toEqual([
      all,
      "s",
      "s a a-0 b b-0",
      "s a a-0 b b-0 c c-0",
      "s b b-0 c c-0",
      "t d d-0",
    ]);
  });

  it("throws if a single message does not arrive in time, because it may another time", async () => {
    const large = messageEvents("s", "large", "x".repeat(2000));
    const events = [...stream.slice(0, 3), ...large, ...stream.slice(3)];

    const { answer } = await send([slowBeyond(1_500, storing())], {}, events);

    expect(answer).toMatchObject({
      code: "validation_failed",
      details: { kind: "body_too_slow" },
    });
  });

  it.each<[string, Reply, object]>([
    [
      "a validation error",
      failWith(400, "validation_failed", { field: "x" }),
      { code: "validation_failed" },
    ],
    ["an unknown namespace", failWith(403, "namespace_unknown"), { code: "namespace_unknown" }],
    ["an HTML page as the answer", respondWith(200, "<html>"), { code: "answer_invalid" }],
  ])("stops at a request that fails: %s", async (_, reply, error) => {
    const { answer, requests } = await send([storing(), reply], { maxEvents: 3 });

    expect(answer).toMatchObject(error);
    expect(requests).toHaveLength(2);
  });

  it("sends the messages read before the source failed, then rejects with the source's error", async () => {
    async function* broken() {
      yield* stream.slice(0, 8);
      throw new Error("the disk is gone");
    }

    const { answer, requests } = await send([storing()], { maxEvents: 5 }, broken());

    expect(answer).toMatchObject({ message: "the disk is gone" });
    expect(requests).toEqual(["s a a-0 b b-0", "s a a-0 b b-0 c c-0"]);
  });

  const waiting = () => {
    const released: boolean[] = [];
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise<never>(() => {}),
        async return() {
          released.push(true);
          return { done: true as const, value: undefined };
        },
      }),
    };
    return { source, released };
  };

  it("stops and releases its source when aborted while waiting for an event", async () => {
    const { source, released } = waiting();
    const controller = new AbortController();

    const sent = send([storing()], { signal: controller.signal }, source);
    setImmediate(() => controller.abort(new Error("enough")));

    expect((await sent).answer).toMatchObject({ message: "enough" });
    expect(released).toEqual([true]);
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });

  it("reads nothing from its source when aborted before the call", async () => {
    const events = { [Symbol.iterator]: () => expect.fail("it was asked") };
    const signal = AbortSignal.abort(new Error("before"));

    const { answer } = await send([storing()], { signal }, events);

    expect(answer).toMatchObject({ message: "before" });
  });

  it("releases its source when a request fails", async () => {
    let isReleased = false;
    function* endless() {
      try {
        for (;;) yield* stream;
      } finally {
        isReleased = true;
      }
    }

    const { answer } = await send(
      [failWith(403, "namespace_unknown")],
      { maxEvents: 5 },
      endless(),
    );

    expect(answer).toMatchObject({ code: "namespace_unknown" });
    expect(isReleased).toBe(true);
  });

  it.each([null, "text", {}, { kind: "session" }, { kind: "message", message: null }])(
    "sends an invalid event as it is, for the server to judge: %j",
    async (event) => {
      const events = [...stream.slice(0, 3), event as never, ...stream.slice(7)];
      const accepted = respondWith(200, { ...answerTo([]), events: 7, accepted: 7 });

      await withServer([accepted], async ({ client, seen }) => {
        await expect(client.ingestAll(events)).resolves.toMatchObject({ events: 7 });
        expect(JSON.parse(seen[0]?.body ?? "").events).toEqual(events);
      });
    },
  );

  it("sends events out of order as they are, for the server to judge", async () => {
    const odd = [...messageEvents("s", "a"), ...stream.slice(0, 1), ...messageEvents("t", "b")];

    const { requests } = await send([storing()], { maxEvents: 3 }, odd);

    expect(requests).toEqual(["a a-0 s", "b b-0"]);
  });

  it.each([{ maxEvents: 0 }, { maxBytes: 0.5 }])("refuses invalid caps: %j", async (options) => {
    const { answer, requests } = await send([storing()], options);

    expect(answer).toBeInstanceOf(RangeError);
    expect(requests).toEqual([]);
  });
});
