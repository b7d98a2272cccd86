import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, stringifyJson } from "./json.ts";
import { fromRfc3339 } from "./timestamp.ts";
import { messageFromWire, messageToWire, sessionFromWire, sessionToWire } from "./wire.ts";

const session = {
  id: "s",
  parent_session_id: "p",
  source_agent: "demo",
  created_at: "2026-01-01T00:00:00.000250Z",
  project: "/home/ada",
  options: { source: { rest: { __proto__: null, big: JSON.rawJSON("9007199254740993") } } },
};
const base = { session_id: "s", timestamp: "2026-01-01T00:00:01.000Z", options: {} };
const part = { id: "0", session_id: "s", message_id: "m", provenance: "injected", options: {} };
const message = {
  ...base,
  id: "m",
  role: "assistant",
  content: [
    { ...part, type: "text", text: "\ud800 alone, \0" },
    {
      ...part,
      id: "1",
      type: "file",
      media_type: "image/png",
      data: { type: "bytes", base64: "iVBORw==" },
    },
    {
      ...part,
      id: "2",
      type: "file",
      media_type: "image/png",
      data: { type: "base64", text: "not canonical" },
    },
    {
      ...part,
      id: "3",
      type: "tool_result",
      call_id: "c",
      is_failure: true,
      result: [JSON.rawJSON("1e400")],
    },
  ],
};

describe("a wire form", () => {
  it("of a session reads back equal, including its microseconds", () => {
    const read = sessionFromWire(session);

    expect(read.created_at).toBe(fromRfc3339(session.created_at));
    expect(sessionToWire(read)).toEqual(session);
    expect(sessionFromWire(parseJson(stringifyJson(sessionToWire(read))))).toEqual(read);
  });

  it.each([
    ["with every kind of content", message],
    ["of the system role", { ...base, id: "m", role: "system", content: "You weave." }],
    ["without parts", { ...base, id: "m", role: "user", content: [] }],
  ])("of a message %s reads back equal", (_, wire) => {
    const read = messageFromWire(wire);

    expect(messageToWire(read)).toEqual(wire);
    expect(messageFromWire(parseJson(stringifyJson(messageToWire(read))))).toEqual(read);
  });

  it("keeps bytes, even those of a view into a larger buffer", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 2 }), (bytes) => {
        const data = { type: "bytes", base64: Buffer.from(bytes.subarray(1)).toString("base64") };
        const file = { ...part, type: "file", media_type: "a/b", data };
        const read = messageFromWire({ ...base, id: "m", role: "user", content: [file] });
        if (read.role !== "user") throw new TypeError("a user message");
        const view = { type: "bytes", bytes: bytes.subarray(1) } as const;
        const content = read.content.map((one) =>
          one.type === "file" ? { ...one, data: view } : one,
        );

        expect(messageToWire({ ...read, content })).toEqual(messageToWire(read));
      }),
    );
  });

  it.each<[string, unknown, string]>([
    ["a missing message", undefined, "message: expected a JSON object"],
    ["a list in place of a message", [], "message: expected a JSON object"],
    [
      "a missing time",
      { ...message, timestamp: undefined },
      "message.timestamp: expected RFC 3339 text",
    ],
    [
      "an invalid time",
      { ...message, timestamp: "today" },
      "message.timestamp: expected RFC 3339 text",
    ],
    [
      "missing content",
      { ...base, id: "m", role: "user" },
      "message: expected an object with content",
    ],
    [
      "a part of another message",
      { ...message, content: [{ ...part, message_id: "other", type: "text", text: "" }] },
      "part.message_id: is not m",
    ],
    [
      "a part that a message of its role cannot hold",
      { ...message, role: "tool" },
      "part.type: a tool message holds no text part",
    ],
    [
      "bytes that are not base64",
      {
        ...message,
        content: [
          { ...part, type: "file", media_type: "a/b", data: { type: "bytes", base64: "?" } },
        ],
      },
      "part.data.base64: not base64",
    ],
  ])("is refused: %s", (_, wire, expected) => {
    expect(() => messageFromWire(wire)).toThrow(expected);
  });

  it.each([
    ["parts in a system message", { ...message, role: "system" }],
    ["text in a user message", { ...base, id: "m", role: "user", content: "hi" }],
    ["a part that is not an object", { ...message, content: [1] }],
    [
      "file data that are not an object",
      { ...message, content: [{ ...part, type: "file", media_type: "a/b", data: "x" }] },
    ],
  ])("with %s is refused", (_, wire) => {
    expect(() => messageFromWire(wire)).toThrow(
      expect.objectContaining({ code: "validation_failed" }),
    );
  });

  it("of a session that breaks the model is refused", () => {
    expect(() => sessionFromWire({ ...session, project: "" })).toThrow("model-project-non-empty");
  });
});
