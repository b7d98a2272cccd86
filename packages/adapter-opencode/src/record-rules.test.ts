import {
  type JsonObject,
  type Message,
  messageFromWire,
  partsOf,
  sessionFromWire,
} from "@pond/canonical";
import type { Course } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { opencodeRecords } from "./record-rules.ts";

const session = sessionFromWire({
  id: "s",
  source_agent: "opencode",
  created_at: "2026-03-01T09:00:00.000Z",
  project: "/home/ada",
  options: {},
});

function courseOf(messages: readonly Message[]): Course {
  const course = opencodeRecords.course?.({ session, messages });
  if (course === undefined) throw new Error("there is no rule");
  return course;
}

type Draft = readonly [id: string, text: string, source: JsonObject, role?: string];

/** A message whose text is typed or said; one of role `system` carries the record it is given. */
function message([id, text, source, role = "user"]: Draft): Message {
  const place = { id, session_id: "s", role, timestamp: "2026-03-01T09:00:00.000Z" };
  const given = { ...place, options: { source } };
  if (role === "system") return messageFromWire({ ...given, content: "" });
  const part = { id: "0", session_id: "s", message_id: id, provenance: "conversational" };
  return messageFromWire({ ...given, content: [{ ...part, type: "text", text, options: {} }] });
}

/** What of a session is live, and that nothing of it is lost. */
function live(...drafts: readonly Draft[]): string {
  const messages = drafts.map(message);
  const course = courseOf(messages);
  expect(new Set([...course.live, ...course.undone])).toEqual(new Set(messages));
  expect(course.live).toEqual(messages.filter((each) => course.live.includes(each)));
  return course.live.map(({ id }) => id).join(" ");
}

const carried = (record: JsonObject): JsonObject => ({ record });

describe("what stands behind the point of a revert is not live", () => {
  const noted = (revert: JsonObject): Draft => ["info", "", carried({ revert }), "system"];
  const told: readonly Draft[] = [
    ["m1", "one", {}],
    ["m2", "said", {}, "assistant"],
    ["m3", "undone", {}],
  ];

  it.each<[string, JsonObject, string]>([
    ["a message", { messageID: "m2" }, "info m1"],
    ["a part that is not there", { messageID: "m2", partID: "lost" }, "info m1 m2"],
    ["the first part of a message", { messageID: "m2", partID: "0" }, "info m1"],
    ["a message that is not there", { messageID: "lost" }, "info m1 m2 m3"],
  ])("%s", (_, revert, expected) => {
    expect(live(noted(revert), ...told)).toBe(expected);
  });

  const went = (first: JsonObject, continued: JsonObject, more: JsonObject = {}): Draft => {
    return ["info", "", { record: first, continued, ...more }, "system"];
  };
  const later: Draft = ["m4", "in 2.x", { schema: 2 }];

  it.each<[string, Draft, string]>([
    ["that 2.x took back", went({ revert: { messageID: "m2" } }, {}), "info m1 m2 m3 m4"],
    ["that was made in 2.x", went({}, { revert: { messageID: "m4" } }), "info m1 m2 m3"],
    ["to a message of 1.x", went({}, { revert: { messageID: "m3" } }), "info m1 m2"],
    ["from which it went on in 2.x", went({}, {}, { "continued.without": "m2" }), "info m1 m4"],
    [
      "from which it went on, and another one",
      went({}, { revert: { messageID: "m4" } }, { "continued.without": "m2" }),
      "info m1",
    ],
  ])("in a session that went on in 2.x, one %s", (_, info, expected) => {
    expect(live(info, ...told, later)).toBe(expected);
  });

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
  ])("parts of a message from %s on", (partID, kept, taken) => {
    const reverted = messageFromWire({
      id: "m1",
      session_id: "s",
      role: "assistant",
      timestamp: "2026-03-01T09:00:00.000Z",
      options: { source },
      content: parts,
    });

    const info = message(noted({ messageID: "m1", partID }));
    const course = courseOf([info, reverted]);

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
    "and what it printed",
    { type: "shell", command: "ls -la", output: { output: "heddle.txt\n" } },
    "The user ran a command in a shell:\nls -la\nIt printed:\nheddle.txt\n",
  ],
  [
    "that printed nothing",
    { type: "shell", command: "touch a", output: { output: "" } },
    "The user ran a command in a shell:\ntouch a",
  ],
  [
    "without its output",
    { type: "shell", command: "ls" },
    "The user ran a command in a shell:\nls",
  ],
  ["that is not named", { type: "shell" }, ""],
])("tells of a command of the user's in 2.x %s", (_, record, expected) => {
  const each = message(["m1", "", carried(record), "system"]);

  expect(each.role === "system" && opencodeRecords.givenText?.(each)).toBe(expected);
});

it("tells of nothing else that it carries, and what is text as it is", () => {
  const carrier = message(["m1", "", carried({ type: "idle", command: "ls" }), "system"]);
  const prompt = messageFromWire({
    id: "m2",
    session_id: "s",
    role: "system",
    timestamp: "2026-03-01T09:00:00.000Z",
    content: "You weave.",
    options: { source: { schema: 2 } },
  });

  const told = [carrier, prompt].map((each) => {
    return each.role === "system" ? opencodeRecords.givenText?.(each) : undefined;
  });
  expect(told).toEqual(["", "You weave."]);
});
