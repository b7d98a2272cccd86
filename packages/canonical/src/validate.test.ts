import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { ValidationError } from "./errors.ts";
import { isPlainHeader, isPlainPart, isPlainSession } from "./guards.ts";
import { messageHeaderSchema } from "./message.ts";
import { partSchema } from "./part.ts";
import { sessionSchema } from "./session.ts";
import { EventValidator } from "./validate.ts";

const session = {
  id: "s",
  source_agent: "demo",
  created_at: 0n,
  project: "/home/ada",
  options: {},
};
const user = { id: "m1", session_id: "s", timestamp: 1n, role: "user", options: {} };
const system = { ...user, id: "m0", role: "system", content: "" };
const assistant = { ...user, id: "m2", role: "assistant" };
const tool = { ...user, id: "m3", role: "tool" };
const part = (message: { id: string }, fields: object): object => ({
  id: "0",
  session_id: "s",
  message_id: message.id,
  provenance: "conversational",
  options: {},
  ...fields,
});
const text = { type: "text", text: "hi" };
const parts = {
  text,
  reasoning: { type: "reasoning", text: "hm" },
  file: { type: "file", media_type: "text/plain", data: { type: "url", url: "https://a" } },
  tool_call: { type: "tool_call", call_id: "c", name: "n", params: null, provider_executed: false },
  tool_result: { type: "tool_result", call_id: "c", is_failure: false, result: "" },
  tool_approval_request: { type: "tool_approval_request", approval_id: "a", tool_call_id: "c" },
  tool_approval_response: { type: "tool_approval_response", approval_id: "a", approved: true },
};

/** The error of the first event that is refused; undefined where all are taken. */
function firstError(...events: readonly object[]): string | undefined {
  const validator = new EventValidator();
  try {
    // Values are wrong on purpose, as they come from a wire that knows no types.
    for (const event of events) validator.accept(event as Parameters<typeof validator.accept>[0]);
    return undefined;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return error.message;
  }
}

const asSession = (value: object): object => ({ kind: "session", session: value });
const asMessage = (value: object): object => ({ kind: "message", message: value });
const asPart = (value: object): object => ({ kind: "part", part: value });

describe("EventValidator", () => {
  it("accepts a session in order", () => {
    const error = firstError(
      asSession({ ...session, parent_session_id: "p", parent_message_id: "m" }),
      asMessage(system),
      asMessage(user),
      asPart(part(user, text)),
      asPart(part(user, { ...parts.file, id: "1" })),
      asMessage(assistant),
      asPart(part(assistant, text)),
    );

    expect(error).toBeUndefined();
  });

  it.each<[string, readonly object[], string]>([
    ["a message before a session", [asMessage(user)], "message: comes before a session"],
    ["a part before a session", [asPart(part(user, text))], "part: comes before a message"],
    [
      "a part right after the session",
      [asSession(session), asPart(part(user, text))],
      "part: comes before a message",
    ],
    [
      "a second session",
      [asSession(session), asSession(session)],
      "session: comes after session s",
    ],
    [
      "a message of another session",
      [asSession(session), asMessage({ ...user, session_id: "other" })],
      "message.session_id: is not s",
    ],
    [
      "a part of another session",
      [asSession(session), asMessage(user), asPart({ ...part(user, text), session_id: "other" })],
      "part.session_id: is not that of message m1",
    ],
    [
      "a part of an earlier message",
      [asSession(session), asMessage(user), asMessage(assistant), asPart(part(user, text))],
      "part.message_id: is not m2",
    ],
    [
      "a repeated message id",
      [asSession(session), asMessage(user), asMessage(assistant), asMessage(user)],
      "message.id: m1 comes twice in the session",
    ],
    [
      "a repeated part id",
      [asSession(session), asMessage(user), asPart(part(user, text)), asPart(part(user, text))],
      "part.id: 0 comes twice in message m1",
    ],
  ])("refuses %s (`adapter-integrity-event-ordering`)", (_, events, expected) => {
    expect(firstError(...events)).toBe(expected);
  });

  it("accepts a part id again in another message", () => {
    const events = [asMessage(user), asPart(part(user, text)), asMessage(assistant)];

    expect(
      firstError(asSession(session), ...events, asPart(part(assistant, text))),
    ).toBeUndefined();
  });

  const allowed: Record<string, readonly string[]> = {
    system: [],
    user: ["text", "file"],
    assistant: ["text", "file", "reasoning", "tool_call", "tool_result", "tool_approval_request"],
    tool: ["tool_result", "tool_approval_response"],
  };
  const pairs = [system, user, assistant, tool].flatMap((message) =>
    Object.entries(parts).map(([type, fields]) => ({ message, type, fields, role: message.role })),
  );

  it.each(pairs)("knows whether a $role message may hold a $type part (spec 4.6)", (pair) => {
    const { message, type, fields, role } = pair;

    const error = firstError(asSession(session), asMessage(message), asPart(part(message, fields)));

    const isAllowed = allowed[role]?.includes(type);
    expect(error).toBe(
      isAllowed ? undefined : `part.type: a ${role} message holds no ${type} part`,
    );
  });

  it.each<[string, object, RegExp]>([
    [
      "an empty project (`model-project-non-empty`)",
      { project: "" },
      /^session\.project: .*model-project-non-empty/,
    ],
    ["an empty source agent", { source_agent: "" }, /^session\.source_agent: /],
    [
      "a cut-point without a parent (`model-parent-pointer-coherence`)",
      { parent_message_id: "m" },
      /^session: .*model-parent-pointer-coherence/,
    ],
    ["an empty id", { id: "" }, /^session\.id: an id is not empty/],
    ["a lone surrogate in its id", { id: "\ud800" }, /^session\.id: .*lone surrogate/],
    ["a time that is text", { created_at: "2026" }, /^session\.created_at: /],
    ["options that are a raw number", { options: JSON.rawJSON("1e400") }, /^session\.options: /],
    ["a field that the model does not name", { extra: 1 }, /^session\.extra: /],
  ])("refuses a session with %s", (_, fields, expected) => {
    expect(firstError(asSession({ ...session, ...fields }))).toMatch(expected);
  });

  it.each<[string, object, RegExp]>([
    ["no provenance (`model-part-provenance`)", { provenance: undefined }, /^part\.provenance: /],
    ["an unknown provenance", { provenance: "unknown" }, /^part\.provenance: /],
    ["an unknown type", { type: "video" }, /^part\.type: /],
    ["a number as its text", { text: 1 }, /^part\.text: /],
    ["a field of another part type", { call_id: "c" }, /^part\.call_id: /],
  ])("refuses a part with %s", (_, fields, expected) => {
    const wrong = asPart({ ...part(user, text), ...fields });

    expect(firstError(asSession(session), asMessage(user), wrong)).toMatch(expected);
  });
});

describe("a type guard", () => {
  const field = fc.constantFrom<unknown>(
    "x",
    "",
    "\ud800",
    1,
    1n,
    0n,
    true,
    null,
    undefined,
    [],
    {},
    { type: "url", url: "x" },
    new Uint8Array(1),
    { type: "bytes", bytes: new Uint8Array(1) },
    { type: "bytes", bytes: "x" },
    { type: "base64", text: "x" },
    { type: "url", url: "x", more: 1 },
    JSON.rawJSON("1e400"),
    "user",
    "system",
    "text",
    "injected",
    () => 1,
  );
  const models = [
    {
      name: "session",
      guard: isPlainSession,
      schema: sessionSchema,
      samples: [{ ...session, parent_session_id: "p", parent_message_id: "m" }, session],
    },
    {
      name: "message",
      guard: isPlainHeader,
      schema: messageHeaderSchema,
      samples: [system, user, assistant, tool],
    },
    {
      name: "part",
      guard: isPlainPart,
      schema: partSchema,
      samples: [
        ...Object.values(parts).map((fields) => part(user, fields)),
        part(user, {
          ...parts.file,
          file_name: "f",
          data: { type: "bytes", bytes: new Uint8Array() },
        }),
        part(user, { ...parts.tool_result, name: "n" }),
        part(user, { ...parts.tool_approval_response, reason: "r" }),
      ],
    },
  ];

  it.each(models)("accepts every valid $name", ({ guard, schema, samples }) => {
    for (const sample of samples) {
      expect(v.is(schema, sample)).toBe(true);
      expect(guard(sample)).toBe(true);
    }
  });

  it.each(models)("accepts no $name that its schema refuses", ({ guard, schema, samples }) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.nat(),
        field,
        fc.constantFrom("set", "drop", "add"),
        (sample, at, value, how) => {
          const keys = Object.keys(sample);
          const key = how === "add" ? `extra${at}` : (keys[at % keys.length] ?? "id");
          const rest = Object.entries(sample).filter(([name]) => name !== key);
          const mutated = Object.fromEntries(how === "drop" ? rest : [...rest, [key, value]]);

          if (guard(mutated)) expect(v.is(schema, mutated)).toBe(true);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it.each(models)("refuses other values as a $name", ({ guard, schema }) => {
    for (const value of [undefined, null, 1, "x", [], {}, () => 1]) {
      expect(guard(value)).toBe(false);
      expect(v.is(schema, value)).toBe(false);
    }
  });
});
