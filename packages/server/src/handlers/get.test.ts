import type { GetRequest, IngestEvent, MessageView, SessionPage, WirePart } from "@pond/wire";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chat, header, sessionOf, testPond, textMessage, textPart } from "../testing.ts";

const maxReplyBytes = 20_000;
const pond = testPond({ limits: { maxReplyBytes } });
const texts = Array.from({ length: 70 }, (_, at) => `text ${at} ${"x".repeat(100)}`);

beforeAll(async () => {
  const parts = Array.from({ length: 9 }, (_, at) =>
    textPart("parts", 1, "y".repeat(500), `p${at}`),
  );
  await pond.ask("ingest", {
    events: [
      ...chat("long", texts),
      ...[sessionOf("parts"), header("parts", 0), header("parts", 1), ...parts],
      ...chat("huge", ["small", "z".repeat(100_000), "small"]),
      {
        kind: "session",
        session: {
          ...{ id: "mixed", source_agent: "codex", project: "/p", options: {} },
          created_at: "2026-01-01T00:00:00Z",
        },
      },
      {
        kind: "message",
        message: {
          ...{ id: "sys", session_id: "mixed", role: "system", content: "carried" },
          ...{ timestamp: "2026-01-01T00:00:00Z", options: {} },
        },
      },
      header("mixed", 0),
      textPart("mixed", 0, "said"),
      { kind: "part", part: { ...injected("mixed"), text: "reminder" } },
      header("mixed", 1),
    ],
  });
});
afterAll(() => pond.remove());

function injected(
  session_id: string,
): Omit<Extract<WirePart, { text: string }>, "text"> & { type: "text" } {
  const place = { id: "p2", session_id, message_id: "m0" };
  return { ...place, type: "text", provenance: "injected", options: {} };
}

type Asked = Omit<GetRequest, "protocol_version">;

async function page(request: Asked): Promise<SessionPage> {
  const answer = await pond.ask("get", request);
  if ("messages" in answer) return answer;
  throw new TypeError("it is of one message");
}

async function view(request: Asked): Promise<MessageView> {
  const answer = await pond.ask("get", request);
  if ("target" in answer) return answer;
  throw new TypeError("it is of a session");
}

const idsOf = (messages: readonly { readonly id: string }[]): string[] =>
  messages.map(({ id }) => id);

test.each([
  [undefined, ["m0"], { text: "said" }],
  ["conversational", ["m0"], { text: "said" }],
  [
    "complete",
    ["sys", "m0", "m1"],
    { text: "said", parts_summary: [{ provenance: "conversational" }, { provenance: "injected" }] },
  ],
  ["verbatim", ["sys", "m0", "m1"], { content: [{ text: "said" }, { text: "reminder" }] }],
] as const)("response_mode %s shows the messages %j", async (response_mode, ids, first) => {
  const answer = await page({ session_id: "mixed", response_mode });

  expect(answer.response_mode).toBe(response_mode ?? "conversational");
  expect(idsOf(answer.messages)).toEqual(ids);
  expect(answer.messages.find(({ id }) => id === "m0")).toMatchObject(first);
  expect(answer.messages_remaining).toBe(0);
});

test.each([1, 1_000, 5_000, maxReplyBytes])(
  "pages of %i bytes hold every message once, in order",
  async (limit_bytes) => {
    const ids: string[] = [];
    let remaining = texts.length;
    for (let after_id: string | undefined; remaining > 0; after_id = ids.at(-1)) {
      const { messages, messages_remaining } = await page({
        session_id: "long",
        limit_bytes,
        after_id,
      });
      ids.push(...idsOf(messages));
      expect(messages.length).toBeGreaterThan(0);
      expect(ids.length + messages_remaining).toBe(texts.length);
      const bytes = JSON.stringify(messages).length;
      if (messages.length > 1) expect(bytes).toBeLessThanOrEqual(limit_bytes + messages.length + 1);
      remaining = messages_remaining;
    }

    expect(ids).toEqual(texts.map((_, at) => `m${at}`));
  },
);

test.each<[string, SessionPage["response_mode"], string[]]>([
  ["m1", "conversational", ["m2", "m4"]],
  ["m3", "conversational", ["m4"]],
  ["m5", "conversational", []],
  ["m3", "complete", ["m4", "m5"]],
])("the page after %s in mode %s holds %j", async (after_id, response_mode, ids) => {
  // Said once, and nothing but a tool call since.
  await pond.ask("ingest", { events: chat("tools", ["a", "b", "c", "d", "e", "f"]) });
  const later = [1, 3, 5].flatMap((at) => [header("tools", at), toolCall("tools", at)]);
  await pond.ask("ingest", { events: [sessionOf("tools"), ...later] });

  const answer = await page({ session_id: "tools", after_id, response_mode });

  expect(idsOf(answer.messages)).toEqual(ids);
  expect(answer.messages_remaining).toBe(0);
});

test("a page can follow a message that holds only a tool call, but no unknown message", async () => {
  const call = [header("calls", 1), toolCall("calls", 1)];
  const events = [
    sessionOf("calls"),
    ...textMessage("calls", 0, "a"),
    ...call,
    ...textMessage("calls", 2, "b"),
  ];
  await pond.ask("ingest", { events });

  const { messages } = await page({ session_id: "calls", after_id: "m1" });

  expect(idsOf(messages)).toEqual(["m2"]);
  await expect(page({ session_id: "calls", after_id: "m3" })).rejects.toMatchObject({
    code: "not_found",
  });
});

function toolCall(session_id: string, at: number): IngestEvent {
  const place = { id: "p", session_id, message_id: `m${at}` };
  const call = { type: "tool_call", call_id: "c", name: "read", params: { at } } as const;
  const spoken = { provenance: "conversational", provider_executed: false } as const;
  return { kind: "part", part: { ...place, ...call, ...spoken, options: {} } };
}

test("the page after the last message is empty", async () => {
  const answer = await page({ session_id: "long", after_id: "m69" });

  expect(answer).toMatchObject({ messages: [], messages_remaining: 0 });
});

test("a message larger than any page comes whole, alone on its page", async () => {
  const first = await page({ session_id: "huge" });
  const second = await page({ session_id: "huge", after_id: "m0" });

  expect(idsOf(first.messages)).toEqual(["m0"]);
  expect(idsOf(second.messages)).toEqual(["m1"]);
  expect(second.messages[0]?.text).toHaveLength(100_000);
});

test("accepts limit_bytes up to the maximum reply size, and refuses more", async () => {
  await expect(page({ session_id: "long", limit_bytes: maxReplyBytes })).resolves.toBeDefined();
  await expect(page({ session_id: "long", limit_bytes: maxReplyBytes + 1 })).rejects.toMatchObject({
    code: "validation_failed",
    message: "limit_bytes: is more than 20000",
  });
});

test.each([
  [undefined, ["m8", "m9"], ["m11", "m12"]],
  [0, [], []],
  [1, ["m9"], ["m11"]],
])(
  "shows a message with its neighbours for context_depth %s",
  async (context_depth, before, after) => {
    const answer = await view({ session_id: "long", message_id: "m10", context_depth });

    expect(idsOf(answer.before)).toEqual(before);
    expect(idsOf(answer.after)).toEqual(after);
    expect(answer.target).toMatchObject({ id: "m10", content: [{ text: texts[10] }] });
    expect(answer).not.toHaveProperty("context_cut");
  },
);

test.each([
  ["first", "m0", 0, 50],
  ["last", "m69", 50, 0],
])(
  "context ends where the session does: around the %s message",
  async (_, message_id, before, after) => {
    const answer = await view({ session_id: "long", message_id, context_depth: 50 });

    expect([answer.before.length, answer.after.length]).toEqual([before, after]);
  },
);

test("shows the nearest context when a page cannot hold all, and marks it as cut", async () => {
  const answer = await view({
    ...{ session_id: "long", message_id: "m35", context_depth: 30, limit_bytes: 2_000 },
  });

  expect(answer.context_cut).toBe(true);
  expect(answer.before.at(-1)?.id).toBe("m34");
  expect(answer.after.at(0)?.id).toBe("m36");
  expect(JSON.stringify([answer.before, answer.after]).length).toBeLessThan(2_100);
});

test("pages through the parts of a message, each once", async () => {
  const ids: string[] = [];
  let remaining = 9;
  for (let after_id: string | undefined; remaining > 0; after_id = ids.at(-1)) {
    const request = { session_id: "parts", message_id: "m1", limit_bytes: 2_000, after_id };
    const { target, target_parts_remaining } = await view(request);
    const content = Array.isArray(target.content) ? target.content : [];
    expect(content.length).toBeGreaterThan(0);
    ids.push(...idsOf(content));
    expect(ids.length + target_parts_remaining).toBe(9);
    remaining = target_parts_remaining;
  }

  expect(ids).toEqual(Array.from({ length: 9 }, (_, at) => `p${at}`));
});

test.each<[string, Asked, string, string]>([
  ["a session", { session_id: "none" }, "not_found", "no session none is stored"],
  [
    "the beginning of a session's id",
    { session_id: "lon" },
    "not_found",
    "no session lon is stored",
  ],
  [
    "a message",
    { session_id: "long", message_id: "x" },
    "not_found",
    "session long holds no message x",
  ],
  [
    "the message that a page begins after",
    { session_id: "long", after_id: "x" },
    "not_found",
    "session long holds no message x",
  ],
  [
    "the part that a page begins after",
    { session_id: "parts", message_id: "m1", after_id: "x" },
    "not_found",
    "message m1 holds no part x",
  ],
  [
    "a message of another session",
    { session_id: "parts", message_id: "m60" },
    "not_found",
    "session parts holds no message m60",
  ],
])("answers not_found for an unknown id: %s", async (_, request, code, message) => {
  await expect(pond.ask("get", request)).rejects.toMatchObject({ code, message });
});

test("names the stored sessions whose id begins as the unknown one, except ids with spaces", async () => {
  await pond.ask("ingest", {
    events: ["f1a4e000-b", "f1a4e000-a", "f1a4e000 obey me"].flatMap((id) => chat(id, ["said"])),
  });

  for (const request of [{ session_id: "f1a4" }, { session_id: "f1a4", message_id: "m0" }]) {
    await expect(pond.ask("get", request)).rejects.toMatchObject({
      code: "not_found",
      message: "no session f1a4 is stored; ids are given whole: f1a4e000-a, f1a4e000-b",
      details: { session_id: "f1a4", candidates: ["f1a4e000-a", "f1a4e000-b"], count: 2 },
    });
  }
});

test("takes from_end as not asked for when it is false", async () => {
  for (const fields of [{ message_id: "m1" }, { after_id: "m1" }, { before_id: "m1" }]) {
    const request = { session_id: "long", ...fields };
    const answer = await pond.ask("get", { ...request, from_end: false });
    expect(answer).toEqual(await pond.ask("get", request));
  }
});

test.each<[string, Asked, string]>([
  [
    "a context depth without a message",
    { session_id: "long", context_depth: 1 },
    "context_depth: goes with message_id",
  ],
  [
    "a response mode with a message",
    { session_id: "long", message_id: "m1", response_mode: "verbatim" },
    "response_mode: goes with a session, not with message_id",
  ],
  [
    "the end of a message",
    { session_id: "long", message_id: "m1", from_end: true },
    "from_end: goes with a session, not with message_id",
  ],
  [
    "two directions at once",
    { session_id: "long", after_id: "m1", before_id: "m2" },
    "after_id: goes without from_end and before_id",
  ],
])("refuses %s", async (_, request, message) => {
  await expect(pond.ask("get", request)).rejects.toMatchObject({
    code: "validation_failed",
    message,
  });
});
