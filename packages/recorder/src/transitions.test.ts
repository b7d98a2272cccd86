import { expect, test } from "vitest";
import type { AgentEvent } from "./events.ts";
import type { LoopStatus } from "./record.ts";
import type { Recorder } from "./recorder.ts";
import { contentOf, testRecorder } from "./testing.ts";

const loop_id = "s1.w.1";
const call = { loop_id, tool_call_id: "c", tool_name: "look" };

const events = {
  AgentStart: { type: "AgentStart", loop_id, session_id: "s1" },
  AgentEnd: { type: "AgentEnd", loop_id },
  TurnStart: { type: "TurnStart", loop_id, turn_index: 0, triggered_by: "User" },
  TurnEnd: { type: "TurnEnd", loop_id },
  MessageStart: { type: "MessageStart", loop_id, role: "assistant" },
  MessageUpdate: { type: "MessageUpdate", loop_id, delta: "x" },
  MessageEnd: { type: "MessageEnd", loop_id, message: { role: "user", content: "x" } },
  ToolExecutionStart: { type: "ToolExecutionStart", ...call, args: {} },
  ToolExecutionUpdate: { type: "ToolExecutionUpdate", ...call, partial_result: 1 },
  ToolExecutionEnd: { type: "ToolExecutionEnd", ...call, is_error: false },
  ProgressMessage: { type: "ProgressMessage", ...call, text: "x" },
  InputRejected: { type: "InputRejected", loop_id, reason: "x" },
  LoopAborted: { type: "LoopAborted", loop_id },
  ParallelLoopStart: { type: "ParallelLoopStart", session_id: "s1", loop_ids: [loop_id] },
  CompactionStarted: { type: "CompactionStarted", loop_id },
  CompactionEnded: { type: "CompactionEnded", loop_id },
} as const satisfies Record<string, AgentEvent>;

type Name = keyof typeof events;
type State = LoopStatus | "Unknown" | "Running in a turn";

/** How a loop gets into each state. */
const reach: Readonly<Record<State, readonly Name[]>> = {
  Unknown: [],
  Pending: ["ParallelLoopStart"],
  Running: ["AgentStart"],
  "Running in a turn": ["AgentStart", "TurnStart"],
  Completed: ["AgentStart", "AgentEnd"],
  Rejected: ["AgentStart"],
  Aborted: ["AgentStart", "LoopAborted"],
};

const inLoop: readonly Name[] = [
  "AgentEnd",
  "MessageStart",
  "MessageUpdate",
  "MessageEnd",
  "ToolExecutionStart",
  "ToolExecutionUpdate",
  "ToolExecutionEnd",
  "ProgressMessage",
  "InputRejected",
  "LoopAborted",
];
const compaction: readonly Name[] = ["CompactionStarted", "CompactionEnded"];

/** All that may happen in each state. */
const possible: Readonly<Record<State, readonly Name[]>> = {
  Unknown: ["AgentStart", "ParallelLoopStart"],
  Pending: ["AgentStart", "LoopAborted"],
  Running: [...inLoop, ...compaction, "TurnStart"],
  "Running in a turn": [...inLoop, ...compaction, "TurnEnd"],
  Completed: compaction,
  Rejected: compaction,
  Aborted: compaction,
};

function reached(state: State): Recorder {
  const recorder = testRecorder({ includeStreamingEvents: true });
  for (const name of reach[state]) recorder.record(events[name]);
  if (state === "Rejected") recorder.attach(loop_id).reject("x");
  return recorder;
}

const states = Object.keys(reach) as State[];
const names = Object.keys(events) as Name[];

test.each(states)(
  "a loop that is %s accepts the events possible in that state, and no others",
  (state) => {
    const taken = names.filter((name) => {
      const recorder = reached(state);
      const before = recorder.content("s1");
      try {
        recorder.record(events[name]);
        return true;
      } catch (error) {
        const [status] = state.split(" ");
        expect(error).toMatchObject({
          code: "illegal_transition",
          details: { loop_id, state: status, event: name },
        });
        expect(recorder.content("s1")).toEqual(before);
        return false;
      }
    });

    expect(taken.sort()).toEqual([...possible[state]].sort());
  },
);

test("an error names the loop, its state and the event", () => {
  const recorder = testRecorder();
  recorder.loop().end();

  expect(() => recorder.attach(loop_id).say({ role: "user", content: "x" })).toThrow(
    "MessageEnd cannot happen: loop s1.w.1 is Completed",
  );
});

test.each<[string, AgentEvent, string]>([
  ["a group without loops", { ...events.ParallelLoopStart, loop_ids: [] }, "a group has a loop"],
  [
    "a group that names a loop twice",
    { ...events.ParallelLoopStart, loop_ids: ["a", "a"] },
    "a loop is in its group once",
  ],
  [
    "a choice of a loop that is in no group",
    { type: "ParallelLoopEnd", session_id: "s1", selected_loop_id: "x", selected_config_index: 0 },
    "loop x is in no group",
  ],
  [
    "a choice in a group that has already chosen",
    { type: "ParallelLoopEnd", session_id: "s1", selected_loop_id: "g1", selected_config_index: 0 },
    "its group has chosen g1",
  ],
  [
    "a choice with the index of another loop",
    { type: "ParallelLoopEnd", session_id: "s1", selected_loop_id: "h1", selected_config_index: 1 },
    "place 1 is not the chosen loop's",
  ],
  [
    "a choice in an unknown session",
    { type: "ParallelLoopEnd", session_id: "s9", selected_loop_id: "g1", selected_config_index: 0 },
    "no session s9",
  ],
  ["an unknown child loop", { ...events.ToolExecutionEnd, child_loop_id: "x" }, "is not known"],
  [
    "a session that spawned itself",
    {
      ...{ type: "AgentStart", session_id: "s9", loop_id: "own", parent_loop_id: "own" },
      parent_spawn_ref: { parent_session_id: "s9", parent_loop_id: "own" },
    },
    "a sub-agent has a session of its own",
  ],
  ["an invalid timestamp", { ...events.TurnStart, timestamp: "yesterday" }, "not an RFC 3339 time"],
  ["a negative turn index", { ...events.TurnStart, turn_index: -1 }, "has no turn_index"],
  [
    "an event of an unknown type",
    { ...events.TurnStart, type: "Nap" as "TurnStart" },
    "of no known type",
  ],
])("refuses %s", (_, event, reason) => {
  const recorder = testRecorder();
  recorder.record(events.AgentStart);
  for (const group of ["g", "h"]) {
    const loop_ids = [`${group}1`, `${group}2`];
    recorder.record({ type: "ParallelLoopStart", session_id: "s1", loop_ids });
  }
  recorder.record({
    type: "ParallelLoopEnd",
    session_id: "s1",
    selected_loop_id: "g1",
    selected_config_index: 0,
  });
  const before = contentOf(recorder);

  expect(() => recorder.record(event)).toThrow(reason);
  expect(contentOf(recorder)).toEqual(before);
});

test("a loop id names one loop across all sessions", () => {
  const recorder = testRecorder();
  recorder.loop({ loopId: "l" });

  expect(() => recorder.loop({ loopId: "l", sessionId: "other" })).toThrow("loop l is Running");
  expect(recorder.session("other")).toBeUndefined();
});
