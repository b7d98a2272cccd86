// The phi-core session specification, a row a statement: sub-agents and parallel groups.
import { expect, test } from "vitest";
import { getLoop } from "../navigation.ts";
import {
  assistant,
  call,
  contentOf,
  idsOf,
  type Row,
  recordOf,
  testRecorder,
  textsOf,
  user,
} from "../testing.ts";

const spawns: Row[] = [
  [
    "Cross-Session Sub-Agent Tracking",
    "parent and child session name each other",
    () => {
      const recorder = testRecorder();
      const parent = recorder.loop();
      const child = parent.spawn(call, { agentId: "explorer" });
      child.end();
      parent.endTool(call, { result: "nothing" });

      expect(parent.record.child_loop_refs).toEqual([
        {
          tool_call_id: "call-1",
          tool_name: "explore",
          child_loop_id: "s2.w.sub.1",
          child_session_id: "s2",
        },
      ]);
      expect(recordOf(recorder, "s2")).toMatchObject({
        agent_id: "explorer",
        parent_spawn_ref: {
          parent_session_id: "s1",
          parent_loop_id: "s1.w.1",
          tool_call_id: "call-1",
          tool_name: "explore",
        },
      });
      expect(contentOf(recorder, "s2").session.parent_session_id).toBe("s1");
    },
  ],
  [
    "Cross-Session Sub-Agent Tracking",
    "a spawn is found in events alone, and its call when the tool has ended",
    () => {
      const recorder = testRecorder();
      recorder.record({ type: "AgentStart", loop_id: "p", session_id: "P" });
      recorder.record({ type: "AgentStart", loop_id: "c", session_id: "C", parent_loop_id: "p" });
      const early = { parent_session_id: "P", parent_loop_id: "p" };
      expect(recordOf(recorder, "C").parent_spawn_ref).toEqual(early);

      recorder.record({
        type: "ToolExecutionEnd",
        loop_id: "p",
        tool_call_id: "call-1",
        tool_name: "explore",
        is_error: false,
        child_loop_id: "c",
      });

      const named = { tool_call_id: "call-1", tool_name: "explore" };
      expect(recordOf(recorder, "C").parent_spawn_ref).toEqual({ ...early, ...named });
      expect(getLoop(recordOf(recorder, "P"), "p")?.child_loop_refs).toEqual([
        { ...named, child_loop_id: "c", child_session_id: "C" },
      ]);
    },
  ],
  [
    "Why sub-agents get separate sessions",
    "a sub-agent is not among the loops of its parent, and does not become the current session",
    () => {
      const recorder = testRecorder();
      const parent = recorder.loop();
      parent.spawn(call).end();

      expect(idsOf(recordOf(recorder).loops)).toEqual(["s1.w.1"]);
      expect(recorder.loop().sessionId).toBe("s1");
    },
  ],
  [
    "Why sub-agents get separate sessions",
    "a sub-agent is never a loop of its parent's session",
    () => {
      const recorder = testRecorder();
      const parent = recorder.loop();

      expect(() => parent.spawn(call, { sessionId: parent.sessionId })).toThrow(
        "a sub-agent has a session of its own",
      );
      expect(idsOf(recordOf(recorder).loops)).toEqual(["s1.w.1"]);
    },
  ],
  [
    "SpawnRef on Session (not on LoopRecord)",
    "the first loop's spawn is the session's, whatever loops follow",
    () => {
      const recorder = testRecorder();
      const child = recorder.loop().spawn(call);
      recorder.loop({ sessionId: child.sessionId }).end();

      expect(recordOf(recorder, child.sessionId).parent_spawn_ref?.parent_loop_id).toBe("s1.w.1");
    },
  ],
];

const groups: Row[] = [
  [
    "Parallel Evaluation Groups",
    "a group is registered before any branch starts",
    () => {
      const recorder = testRecorder();
      recorder.parallelGroup({ branches: 2 });

      expect(recordOf(recorder).loops).toEqual(
        ["s1.w.1", "s1.w.2"].map((loop_id) =>
          expect.objectContaining({
            loop_id,
            status: "Pending",
            parallel_group: { all_loop_ids: ["s1.w.1", "s1.w.2"] },
          }),
        ),
      );
    },
  ],
  [
    "Parallel Evaluation Groups",
    "every branch has the group, and is_selected is true on the winner only",
    () => {
      const recorder = testRecorder();
      const group = recorder.parallelGroup({ branches: 2 });
      for (const branch of [0, 1]) group.start(branch).end();
      group.select(1, { input: 3, output: 1 });
      const record = {
        all_loop_ids: ["s1.w.1", "s1.w.2"],
        selected_loop_id: "s1.w.2",
        selected_config_index: 1,
        evaluation_usage: { input: 3, output: 1 },
      };

      expect(recordOf(recorder).loops.map((loop) => loop.parallel_group)).toEqual([
        { ...record, is_selected: false },
        { ...record, is_selected: true },
      ]);
    },
  ],
  [
    "Parallel Evaluation Groups",
    "the prompt of all branches is said once",
    () => {
      const recorder = testRecorder();
      const group = recorder.parallelGroup({ branches: 2, prompt: user("Which yarn?") });
      group.start(0).say(assistant("Wool."));
      group.start(1).say(assistant("Linen."));

      expect(textsOf(contentOf(recorder).messages)).toEqual([
        "user: Which yarn?",
        "assistant: Wool.",
        "assistant: Linen.",
      ]);
      expect(recordOf(recorder).loops.map((loop) => textsOf(loop.messages))).toEqual([
        ["user: Which yarn?", "assistant: Wool."],
        ["user: Which yarn?", "assistant: Linen."],
      ]);
    },
  ],
  [
    "loop_id on every AgentEvent variant",
    "events of branches that interleave belong to their own loop",
    () => {
      const recorder = testRecorder();
      const group = recorder.parallelGroup({ branches: 2 });
      const [left, right] = [group.start(0), group.start(1)];
      left.startTurn();
      right.startTurn();
      right.say(assistant("right"));
      left.say(assistant("left"));
      right.endTurn();
      left.endTurn();

      const said = [left, right].map(({ record }) => {
        return record.turns.map((turn) =>
          textsOf(turn.output_message ? [turn.output_message] : []),
        );
      });
      expect(said).toEqual([[["assistant: left"]], [["assistant: right"]]]);
    },
  ],
];

test.each([...spawns, ...groups])("%s: %s", (_section, _statement, run) => run());
