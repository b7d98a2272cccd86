import { courseOf, type DraftMessage, draftMessage, liveIds } from "@pond/adapter-testkit";
import { type JsonObject, type Message, messageFromWire, partsOf } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { opencodeRecordRules } from "./record-rules.ts";

const live = (...drafts: readonly DraftMessage[]): string =>
  liveIds(opencodeRecordRules, ...drafts);

const carried = (record: JsonObject): JsonObject => ({ record });

describe("when a session was reverted", () => {
  const noted = (revert: JsonObject): DraftMessage => ["info", "", carried({ revert }), "system"];
  const allMessages: readonly DraftMessage[] = [
    ["m1", "one", {}],
    ["m2", "said", {}, "assistant"],
    ["m3", "undone", {}],
  ];

  it.each<[string, JsonObject, string]>([
    ["a message", { messageID: "m2" }, "info m1"],
    ["a missing part", { messageID: "m2", partID: "lost" }, "info m1 m2"],
    ["the first part of a message", { messageID: "m2", partID: "0" }, "info m1"],
    ["a missing message", { messageID: "lost" }, "info m1 m2 m3"],
  ])("leaves out later messages, given %s as the point", (_, revert, expected) => {
    expect(live(noted(revert), ...allMessages)).toBe(expected);
  });

  const went = (first: JsonObject, continued: JsonObject, more: JsonObject = {}): DraftMessage => {
    return ["info", "", { record: first, continued, ...more }, "system"];
  };
  const later: DraftMessage = ["m4", "in 2.x", { schema: 2 }];

  it.each<[string, DraftMessage, string]>([
    ["that 2.x undid", went({ revert: { messageID: "m2" } }, {}), "info m1 m2 m3 m4"],
    ["made in 2.x to its own message", went({}, { revert: { messageID: "m4" } }), "info m1 m2 m3"],
    ["made in 2.x to a message of 1.x", went({}, { revert: { messageID: "m3" } }), "info m1 m2"],
    ["followed by a message in 2.x", went({}, {}, { "continued.without": "m2" }), "info m1 m4"],
    [
      "followed by a message and a revert in 2.x",
      went({}, { revert: { messageID: "m4" } }, { "continued.without": "m2" }),
      "info m1",
    ],
  ])(
    "finds the live messages after a revert %s, in a session that went on in 2.x",
    (_, info, expected) => {
      expect(live(info, ...allMessages, later)).toBe(expected);
    },
  );

  // Records that became no part stand at their place in the message, answers with their call.
  const source = { "part.0": { id: "start" }, "part.3": { id: "patch" } };
  const place = { session_id: "s", message_id: "m1", provenance: "conversational", options: {} };
  const text = { ...place, id: "text", type: "text", text: "said" };
  const call = { ...place, id: "call", type: "tool_call", call_id: "c", name: "bash", params: {} };
  const answer = { ...place, id: "call#result", type: "tool_result", call_id: "c", result: "ok" };
  const parts = [
    text,
    { ...call, provider_executed: false },
    { ...answer, is_failure: false, options: { source: { follows: true } } },
    { ...text, id: "last" },
  ];

  it.each<[string, string, string]>([
    ["start", "", "text call call#result last"],
    ["text", "", "text call call#result last"],
    ["call", "text", "call call#result last"],
    ["patch", "text call call#result", "last"],
    ["last", "text call call#result", "last"],
    ["lost", "text call call#result last", ""],
  ])("leaves out the parts of a message from part %s on", (partID, kept, taken) => {
    const reverted = messageFromWire({
      id: "m1",
      session_id: "s",
      role: "assistant",
      timestamp: "2026-03-01T09:00:00.000Z",
      options: { source },
      content: parts,
    });

    const info = draftMessage(noted({ messageID: "m1", partID }));
    const course = courseOf(opencodeRecordRules, [info, reverted]);

    const idsOf = (messages: readonly Message[]) => messages.flatMap(partsOf).map(({ id }) => id);
    expect([idsOf(course.live), idsOf(course.undone)].map((ids) => ids.join(" "))).toEqual([
      kept,
      taken,
    ]);
    expect(course.live.length).toBe(kept === "" ? 1 : 2);
  });
});

it.each<[string, JsonObject, string]>([
  [
    "with its output",
    { type: "shell", command: "ls -la", output: { output: "heddle.txt\n" } },
    "The user ran a command in a shell:\nls -la\nIt printed:\nheddle.txt\n",
  ],
  [
    "that printed nothing",
    { type: "shell", command: "touch a", output: { output: "" } },
    "The user ran a command in a shell:\ntouch a",
  ],
  [
    "without a recorded output",
    { type: "shell", command: "ls" },
    "The user ran a command in a shell:\nls",
  ],
  ["without a command line", { type: "shell" }, ""],
])("gives the text of a user's shell command in 2.x %s", (_, record, expected) => {
  const each = draftMessage(["m1", "", carried(record), "system"]);

  expect(each.role === "system" && opencodeRecordRules.contextText?.(each)).toBe(expected);
});

it("gives no text for other carried records, and a system prompt as it is", () => {
  const carrier = draftMessage(["m1", "", carried({ type: "idle", command: "ls" }), "system"]);
  const prompt = messageFromWire({
    id: "m2",
    session_id: "s",
    role: "system",
    timestamp: "2026-03-01T09:00:00.000Z",
    content: "You weave.",
    options: { source: { schema: 2 } },
  });

  const texts = [carrier, prompt].map((each) => {
    return each.role === "system" ? opencodeRecordRules.contextText?.(each) : undefined;
  });
  expect(texts).toEqual(["", "You weave."]);
});
