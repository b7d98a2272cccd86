import type { IngestEvent, RejectedRow } from "@pond/wire";
import { describe, expect, test } from "vitest";
import { chat, header, sessionOf, textMessage, textPart } from "../testing.ts";
import { groupRows } from "./ingest-rows.ts";

/** Rejected rows in short: place, code, and the row it is because of. */
function rejections(events: readonly unknown[]): string[] {
  return [...groupRows(events).rejected]
    .sort((left, right) => left.event - right.event)
    .map(({ event, code, details }: RejectedRow) =>
      details["event"] === undefined ? `${event} ${code}` : `${event} ${code} ${details["event"]}`,
    );
}

/** What would be stored, by session: how many rows each message has. */
function stored(events: readonly unknown[]): Record<string, number[]> {
  return Object.fromEntries(
    groupRows(events).sessions.map(({ id, session, messages }) => [
      id,
      session === undefined ? [] : messages.map(({ rows }) => rows.length),
    ]),
  );
}

/** An event with one field of what it holds changed; undefined takes it away. */
function but(event: IngestEvent, field: string, value: unknown): unknown {
  const { kind } = event;
  const body = { ...(event as unknown as Record<string, object>)[kind], [field]: value };
  if (value === undefined) delete (body as Record<string, unknown>)[field];
  return { kind, [kind]: body };
}

const s = sessionOf("s");
const [h0, p0] = textMessage("s", 0, "one");
const [h1, p1] = textMessage("s", 1, "two");
const second = textPart("s", 0, "more", "p2");

describe("accepts a batch of", () => {
  test.each<[string, unknown[], Record<string, number[]>]>([
    ["no events", [], {}],
    ["a session without messages", [s], { s: [] }],
    ["messages without parts", [s, h0, h1], { s: [1, 1] }],
    ["messages with their parts", [s, h0, p0, second, h1, p1], { s: [3, 2] }],
    ["sessions one after another", [...chat("a", ["x"]), ...chat("b", ["y"])], { a: [2], b: [2] }],
    [
      "interleaved sessions",
      [sessionOf("a"), s, header("a", 0), h0, textPart("a", 0, "x"), p0],
      { a: [2], s: [2] },
    ],
    [
      "a session with the id __proto__",
      chat("__proto__", ["x"]),
      Object.fromEntries([["__proto__", [2]]]),
    ],
  ])("%s", (_, events, expected) => {
    expect(rejections(events)).toEqual([]);
    expect(stored(events)).toEqual(expected);
  });
});

describe("when an event does not fit those before it", () => {
  test.each<[string, unknown[], string[], Record<string, number[]>]>([
    [
      "a message before its session",
      [h0, p0, s, h1, p1],
      ["0 out_of_order", "1 left_out 0"],
      { s: [2] },
    ],
    ["a message without its session", [h0, p0], ["0 out_of_order", "1 left_out 0"], { s: [] }],
    ["a part before its message", [s, p0, h0], ["1 out_of_order", "2 left_out 1"], { s: [] }],
    ["a part without a session", [p0], ["0 out_of_order"], { s: [] }],
    [
      "a late part, and with it the message it belongs to",
      [s, h0, p0, h1, second, p1],
      ["1 left_out 4", "2 left_out 4", "4 out_of_order"],
      { s: [2] },
    ],
    [
      "a part of an unknown message, and with it the message before it",
      [s, h0, textPart("s", 9, "x"), h1],
      ["1 left_out 2", "2 out_of_order"],
      { s: [1] },
    ],
    [
      "a part of another session's message, and with it the message before it",
      [s, h0, textPart("t", 0, "x"), h1],
      ["1 left_out 2", "2 out_of_order"],
      { s: [1], t: [] },
    ],
    [
      "a part before its message, but keeps the earlier message",
      [s, h0, p0, p1, h1],
      ["3 out_of_order", "4 left_out 3"],
      { s: [2] },
    ],
    ["a repeated session", [s, h0, s, h1], ["2 duplicate"], { s: [1, 1] }],
    ["a repeated message", [s, h0, p0, h0, p0], ["3 duplicate", "4 left_out 3"], { s: [2] }],
    [
      "a repeated part, and with it the message it belongs to",
      [s, h0, p0, p0, h1],
      ["1 left_out 3", "2 left_out 3", "3 duplicate"],
      { s: [1] },
    ],
    [
      "a part that a system message cannot hold",
      [s, { kind: "message", message: { ...base("m0"), role: "system", content: "" } }, p0],
      ["1 left_out 2", "2 invalid"],
      { s: [] },
    ],
  ])("rejects %s", (_, events, rejected, expected) => {
    expect(rejections(events)).toEqual(rejected);
    expect(stored(events)).toEqual(expected);
  });
});

function base(id: string) {
  return { id, session_id: "s", timestamp: "2026-01-01T00:00:00Z", options: {} };
}

describe("when a row is invalid", () => {
  test.each<[string, unknown[], string[], Record<string, number[]>]>([
    [
      "a session",
      [but(s, "project", ""), h0, p0],
      ["0 invalid", "1 left_out 0", "2 left_out 1"],
      { s: [] },
    ],
    [
      "a session whose id is a number",
      [but(s, "id", 7), h0],
      ["0 invalid", "1 out_of_order"],
      { s: [] },
    ],
    [
      "a message",
      [s, but(h0, "timestamp", "yesterday"), p0, h1, p1],
      ["1 invalid", "2 left_out 1"],
      { s: [2] },
    ],
    [
      "a message with an empty id",
      [s, but(h0, "id", ""), p0, h1, p1],
      ["1 invalid", "2 out_of_order"],
      { s: [2] },
    ],
    [
      "a part",
      [s, h0, but(p0, "provenance", undefined), second, h1],
      ["1 left_out 2", "2 invalid", "3 left_out 2"],
      { s: [1] },
    ],
    [
      "a part of an earlier message",
      [s, h0, p0, h1, but(second, "text", 1)],
      ["1 left_out 4", "2 left_out 4", "4 invalid"],
      { s: [1] },
    ],
    [
      "null after a part",
      [s, h0, p0, null, h1],
      ["1 left_out 3", "2 left_out 3", "3 invalid"],
      { s: [1] },
    ],
    [
      "a part before everything else",
      [but(p0, "text", 1), s, h0, h1],
      ["0 invalid", "2 left_out 0"],
      { s: [1] },
    ],
    ["null before everything else", [null, s, h0], ["0 invalid"], { s: [1] }],
    [
      "a row of another session",
      [s, h0, p0, but(textPart("t", 0, "x"), "text", 1), h1],
      ["3 invalid"],
      { s: [2, 1], t: [] },
    ],
  ])("leaves out only rows that may belong with it: %s", (_, events, rejected, expected) => {
    expect(rejections(events)).toEqual(rejected);
    expect(stored(events)).toEqual(expected);
  });
});

describe("when an event is invalid", () => {
  const bytes = { type: "bytes", base64: "not base64!" };
  const file = { ...textPartFields(), type: "file", media_type: "image/png", data: bytes };
  test.each<[string, unknown, string]>([
    ["null", null, "event: expected a JSON object"],
    ["an array", [], "event: expected a JSON object"],
    ["a string", "session", "event: expected a JSON object"],
    ["an event without a kind", {}, "kind: is none of session, message, part"],
    [
      "an event of an unknown kind",
      { kind: "__proto__" },
      "kind: is none of session, message, part",
    ],
    ["a session event without a session", { kind: "session" }, "session: expected a JSON object"],
    [
      "a message that is an array",
      { kind: "message", message: [] },
      "message: expected a JSON object",
    ],
    [
      "a part that is null",
      { kind: "part", part: null },
      "part: Invalid type: Expected Object but received null",
    ],
    ["an event with an unknown field", { ...s, extra: 1 }, "extra: there is no such field"],
    [
      "a session with an unknown field",
      but(s, "extra", 1),
      "session.extra: there is no such field",
    ],
    [
      "a session without a project",
      {
        kind: "session",
        session: { id: "s", source_agent: "demo", created_at: "2026-01-01T00:00:00Z" },
      },
      "session.project: it is missing",
    ],
    [
      "a date that does not exist",
      but(s, "created_at", "2026-02-30T00:00:00Z"),
      "session.created_at: expected RFC 3339 text",
    ],
    [
      "a time that is a number",
      but(h0, "timestamp", 0),
      "message.timestamp: expected RFC 3339 text",
    ],
    [
      "a project with a lone surrogate",
      but(s, "project", "\ud800"),
      "session.project: holds a lone surrogate",
    ],
    [
      "a client with a lone surrogate",
      but(s, "source_agent", "\udfff"),
      "session.source_agent: holds a lone surrogate",
    ],
    [
      "an id with a lone surrogate",
      but(s, "id", "\ud800"),
      "session.id: an id holds no lone surrogate",
    ],
    [
      "an id of 4097 characters",
      but(h0, "id", "x".repeat(4097)),
      "message.id: an id is longer than 4096 characters",
    ],
    [
      "a project of 4097 characters",
      but(s, "project", "x".repeat(4097)),
      "session.project: is longer than 4096 characters",
    ],
    [
      "a parent message without a parent session",
      but(s, "parent_message_id", "m"),
      "session: parent_message_id needs parent_session_id (`model-parent-pointer-coherence`)",
    ],
    [
      "options that are an array",
      but(h0, "options", []),
      "message.options: expected a JSON object",
    ],
    [
      "a message that contains its parts",
      but(h0, "content", []),
      "message.content: its parts are events of their own",
    ],
    ["bytes that are not base64", { kind: "part", part: file }, "part.data.base64: not base64"],
  ])("rejects %s", (_, event, message) => {
    expect(groupRows([event]).rejected).toMatchObject([{ event: 0, code: "invalid", message }]);
  });

  test("keeps the rejection short and well-formed, however long the event is", () => {
    const long = "\ud800x".repeat(1_000_000);

    const { rejected } = groupRows([but(s, long, 1), but(p0, "type", long), { ...s, [long]: 1 }]);

    expect(rejected.length).toBe(3);
    expect(JSON.stringify(rejected).length).toBeLessThan(5_000);
    expect(rejected.every(({ message }) => message.isWellFormed())).toBe(true);
  });
});

function textPartFields() {
  const place = { id: "p", session_id: "s", message_id: "m0" };
  return { ...place, provenance: "conversational", options: {} };
}
