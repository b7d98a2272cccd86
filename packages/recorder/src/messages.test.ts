import { parseJson, partsOf, stringifyJson } from "@pond/canonical";
import { expect, test } from "vitest";
import type { MessageDraft } from "./drafts.ts";
import { call, contentOf, testRecorder, user, validate } from "./testing.ts";

test.each([
  ["null, as in an answer of tool calls alone,", null],
  ["undefined", undefined],
  ["a number", 5],
  ["an array of null", [null]],
  ["an array of strings", ["text"]],
])("content that is %s is refused, and nothing of it is recorded", (_, content) => {
  const recorder = testRecorder();
  const loop = recorder.loop();
  const before = contentOf(recorder);

  for (const role of ["user", "assistant", "tool"]) {
    const said = { role, content } as unknown as MessageDraft;
    expect(() => loop.say(said)).toThrow(expect.objectContaining({ code: "validation_failed" }));
  }
  expect(contentOf(recorder)).toEqual(before);
});

test("a message is canonical, and keeps what its provider reported", () => {
  const recorder = testRecorder();
  const loop = recorder.loop();
  loop.startTurn();
  const said = loop.say({
    role: "assistant",
    content: [
      { type: "reasoning", text: "A step of three." },
      { type: "text", text: "I look." },
      { type: "tool_call", call_id: "c", name: "look", params: { path: "src" } },
    ],
    model: "weaver-1",
    provider: "loomworks",
    usage: { input: 1, output: 2 },
    stop_reason: "tool_use",
  });

  const ids = {
    session_id: "s1",
    message_id: "s1.w.1#2.w",
    provenance: "conversational",
    options: {},
  };
  expect(said).toEqual({
    id: "s1.w.1#2.w",
    session_id: "s1",
    role: "assistant",
    timestamp: BigInt(Date.parse("2026-03-01T09:00:02Z")) * 1000n,
    options: {
      source: {
        loop: "s1.w.1",
        turn: 0,
        rest: {
          model: "weaver-1",
          provider: "loomworks",
          usage: { input: 1, output: 2 },
          stop_reason: "tool_use",
        },
      },
    },
    content: [
      { ...ids, id: "0", type: "reasoning", text: "A step of three." },
      { ...ids, id: "1", type: "text", text: "I look." },
      {
        ...ids,
        id: "2",
        type: "tool_call",
        call_id: "c",
        name: "look",
        params: { path: "src" },
        provider_executed: false,
      },
    ],
  });
  validate(contentOf(recorder));
});

test.each<[string, MessageDraft, string]>([
  ["a user's text", user("x"), "conversational"],
  ["a model's text", { role: "assistant", content: "x" }, "conversational"],
  [
    "a tool result",
    { role: "tool", content: [{ type: "tool_result", call_id: "c", result: null }] },
    "injected",
  ],
  [
    "a user's text marked as injected",
    { role: "user", content: [{ type: "text", text: "x", provenance: "injected" }] },
    "injected",
  ],
])("%s is %s (`model-part-provenance`)", (_, said, provenance) => {
  const message = testRecorder().loop().say(said);

  expect(partsOf(message).map((part) => part.provenance)).toEqual([provenance]);
});

test("a sub-agent's task is injected, and its next prompt is conversational", () => {
  const child = testRecorder().loop().spawn(call);
  const said = [child.say(user("Find the moduli.")), child.say(user("Quickly."))];

  expect(said.flatMap(partsOf).map(({ provenance }) => provenance)).toEqual([
    "injected",
    "conversational",
  ]);
});

test("a sub-agent's task is its first prompt, even after a system prompt", () => {
  const loop = testRecorder().loop();
  const said: MessageDraft[] = [
    { role: "system", content: "You explore." },
    user("Find the moduli."),
  ];
  const one = loop.spawn(call);
  const other = loop.spawn(call);
  for (const each of said) one.say(each);
  other.end({ messages: [...said, user("Quickly.")] });

  const parts = [one, other].map(({ record }) => record.messages.flatMap(partsOf));
  expect(parts.map((each) => each.map(({ provenance }) => provenance))).toEqual([
    ["injected"],
    ["injected", "conversational"],
  ]);
});

test("a recorded message stays the same when the objects given change later", () => {
  const bytes = Uint8Array.of(1, 2);
  const params = { path: "src" };
  const loop = testRecorder().loop();
  const said = loop.say({
    role: "assistant",
    content: [
      { type: "file", media_type: "image/png", data: { type: "bytes", bytes } },
      { type: "tool_call", call_id: "c", name: "look", params },
    ],
  });
  bytes[0] = 9;
  params.path = "elsewhere";

  expect(said).toMatchObject({
    content: [{ data: { bytes: Uint8Array.of(1, 2) } }, { params: { path: "src" } }],
  });
});

test.each<[string, unknown]>([
  [
    "a part that its role cannot have",
    { role: "user", content: [{ type: "reasoning", text: "x" }] },
  ],
  ["an unknown role", { role: "judge", content: "x" }],
  ["a part without a type", { role: "user", content: [{ text: "x" }] }],
  [
    "a circular structure",
    { role: "user", content: [{ type: "text", text: "x", options: circle() }] },
  ],
  ["NaN in the metadata", { role: "user", content: "x", metadata: { a: [null, Number.NaN] } }],
  ["a bigint", result(1n)],
  ["bytes in a tool result", result({ bytes: Uint8Array.of(1, 2), filename: "x.png" })],
  [
    "file data with an extra field",
    {
      role: "user",
      content: [
        {
          type: "file",
          media_type: "image/png",
          data: { type: "bytes", bytes: Uint8Array.of(1), filename: "x.png" },
        },
      ],
    },
  ],
  [
    "a tool result without its result",
    { role: "tool", content: [{ type: "tool_result", call_id: "c" }] },
  ],
])("refuses %s, and records nothing of it", (_, said) => {
  const recorder = testRecorder();
  const loop = recorder.loop();
  const before = contentOf(recorder);

  expect(() => loop.say(said as MessageDraft)).toThrow();
  expect(() => loop.end({ messages: [user("good"), said as MessageDraft] })).toThrow();
  expect(contentOf(recorder)).toEqual(before);
  expect(loop.record.status).toBe("Running");
});

function result(value: unknown): object {
  return { role: "tool", content: [{ type: "tool_result", call_id: "c", result: value }] };
}

function circle(): { self?: object } {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

test("large numbers and unusual keys are kept unchanged", () => {
  const params = parseJson('{"__proto__":{"n":9007199254740993},"toString":1}');
  const said = testRecorder()
    .loop()
    .say({ role: "assistant", content: [{ type: "tool_call", call_id: "c", name: "n", params }] });

  const [part] = partsOf(said);
  expect(part?.type === "tool_call" && stringifyJson(part.params)).toBe(stringifyJson(params));
});

test("an end that adds to each of many messages looks at each only a few times", () => {
  const loop = testRecorder().loop();
  const texts = Array.from({ length: 200 }, (_, number) => `Step ${number}.`);
  for (const content of texts) loop.say({ role: "assistant", content });
  let looks = 0;
  const messages = texts.map((content): MessageDraft => {
    return {
      role: "assistant",
      content,
      get timestamp() {
        looks += 1;
        return "2026-03-01T08:00:00Z";
      },
    };
  });
  loop.end({ messages });

  expect(loop.record.events.at(-1)?.event).toMatchObject({ additions: { length: 200 } });
  expect(looks).toBeLessThan(10 * texts.length);
});
