// The phi-core session specification, a row a statement: loops: their fields, states, relation to a parent, settings and events.
import { expect, test } from "vitest";
import type { Recorder } from "../recorder.ts";
import {
  assistant,
  call,
  config,
  contentOf,
  type Row,
  recordOf,
  testRecorder,
  textsOf,
  usage,
  user,
} from "../testing.ts";

const anatomy: Row[] = [
  [
    "LoopRecord Anatomy",
    "a loop has these fields, and none that is not known",
    () => {
      const recorder = testRecorder();
      const loop = recorder.loop({ config, metadata: { ticket: 7 } });
      const said = loop.say(user("Why?"));
      loop.end({ usage });

      expect(recordOf(recorder).loops).toEqual([
        {
          loop_id: "s1.w.1",
          session_id: "s1",
          agent_id: "loom-agent",
          continuation_kind: "Initial",
          started_at: "2026-03-01T09:00:00.000Z",
          ended_at: "2026-03-01T09:00:02.000Z",
          status: "Completed",
          config,
          messages: [said],
          turns: [],
          usage,
          metadata: { ticket: 7 },
          events: [expect.anything(), expect.anything(), expect.anything()],
          children_loop_ids: [],
          child_loop_refs: [],
        },
      ]);
    },
  ],
  [
    "LoopRecord Anatomy",
    "turns are materialized from TurnStart and TurnEnd",
    () => {
      const recorder = testRecorder();
      const loop = recorder.loop();
      loop.startTurn();
      const asked = loop.say(user("Why?"));
      const answer = loop.say({
        role: "assistant",
        content: [{ type: "tool_call", call_id: "c", name: "look", params: {} }],
      });
      const result = loop.say({
        role: "tool",
        content: [{ type: "tool_result", call_id: "c", name: "look", result: "yarn" }],
      });
      loop.endTurn(usage);
      loop.startTurn();
      loop.end();

      expect(loop.record.turns).toEqual([
        {
          turn_id: { loopId: "s1.w.1", turnIndex: 0 },
          triggered_by: "User",
          usage,
          input_messages: [asked],
          output_message: answer,
          tool_results: [result],
          started_at: "2026-03-01T09:00:01.000Z",
          ended_at: "2026-03-01T09:00:05.000Z",
        },
      ]);
    },
  ],
  [
    "LoopRecord Anatomy",
    "turns are empty where the loop ended before any turn did",
    () => {
      const loop = testRecorder().loop();
      loop.startTurn();
      loop.say(assistant("half"));
      loop.end();

      expect(loop.record.turns).toEqual([]);
      expect(textsOf(loop.record.messages)).toEqual(["assistant: half"]);
    },
  ],
  [
    "LoopRecord Anatomy",
    "a turn says what triggered it",
    () => {
      const recorder = testRecorder();
      const begin = (options: Parameters<Recorder["loop"]>[0]) => {
        const loop = recorder.loop(options);
        loop.startTurn();
        loop.endTurn();
        loop.startTurn();
        loop.endTurn();
        return loop.record.turns.map(({ triggered_by }) => triggered_by);
      };
      const task = recorder.loop();
      const child = task.spawn(call);
      child.startTurn();
      child.endTurn();

      expect(begin({})).toEqual(["User", "Continuation"]);
      expect(begin({ continues: "s1.w.1", as: { Branch: { tag: "b" } } })[0]).toBe("Branch");
      expect(begin({ continues: "s1.w.1" })[0]).toBe("Continuation");
      expect(child.record.turns[0]?.triggered_by).toBe("SubAgent");
    },
  ],
];

const status: Row[] = [
  [
    "LoopStatus lifecycle",
    "AgentStart: Running",
    () => expect(testRecorder().loop().record.status).toBe("Running"),
  ],
  [
    "LoopStatus lifecycle",
    "AgentEnd without a rejection: Completed",
    () => {
      const loop = testRecorder().loop();
      loop.end();

      expect(loop.record).toMatchObject({ status: "Completed", ended_at: expect.any(String) });
      expect(loop.record).not.toHaveProperty("rejection");
    },
  ],
  [
    "LoopStatus lifecycle",
    "AgentEnd with a rejection: Rejected",
    () => {
      const loop = testRecorder().loop();
      loop.reject("no secrets here");

      expect(loop.record).toMatchObject({ status: "Rejected", rejection: "no secrets here" });
      expect(loop.record.events.map(({ event }) => event.type)).toEqual([
        "AgentStart",
        "InputRejected",
        "AgentEnd",
      ]);
    },
  ],
  [
    "LoopStatus lifecycle",
    "flush before AgentEnd: Aborted, and its end is not known",
    async () => {
      const recorder = testRecorder();
      const loop = recorder.loop();
      await recorder.flush();

      expect(loop.record.status).toBe("Aborted");
      expect(loop.record).not.toHaveProperty("ended_at");
    },
  ],
  [
    "LoopStatus lifecycle",
    "Pending is a branch of a parallel group before its AgentStart",
    () => {
      const recorder = testRecorder();
      const group = recorder.parallelGroup({ branches: 2 });
      group.start(1);

      expect(recordOf(recorder).loops.map((loop) => [loop.loop_id, loop.status])).toEqual([
        ["s1.w.2", "Running"],
        ["s1.w.1", "Pending"],
      ]);
    },
  ],
  [
    "LoopStatus lifecycle",
    "flush aborts branches that never started, too",
    async () => {
      const recorder = testRecorder();
      recorder.parallelGroup({ branches: 2 });
      await recorder.flush();

      expect(recordOf(recorder).loops.map((loop) => loop.status)).toEqual(["Aborted", "Aborted"]);
    },
  ],
];

const kinds: Row[] = [
  [
    "continuation_kind classification",
    "no parent: Initial",
    () => expect(testRecorder().loop().record.continuation_kind).toBe("Initial"),
  ],
  ...(
    ["Default", "Compaction", { Rerun: { tag: "again" } }, { Branch: { tag: "b" } }] as const
  ).map(
    (kind): Row => [
      "continuation_kind classification",
      `a parent of the same session: ${JSON.stringify(kind)}`,
      () => {
        const recorder = testRecorder();
        const parent = recorder.loop();

        expect(recorder.loop({ continues: parent.loopId, as: kind }).record).toMatchObject({
          continuation_kind: kind,
          parent_loop_id: parent.loopId,
        });
      },
    ],
  ),
  [
    "continuation_kind classification",
    "a parent of another session: Initial",
    () => {
      const parent = testRecorder().loop();

      expect(parent.spawn(call).record).toMatchObject({
        continuation_kind: "Initial",
        parent_loop_id: parent.loopId,
      });
    },
  ],
  [
    "continuation_kind classification",
    "no other combination is recorded",
    () => {
      const recorder = testRecorder();
      recorder.loop();
      const start = { type: "AgentStart", loop_id: "l", session_id: "s1" } as const;

      for (const wrong of [
        { continuation_kind: "Default" },
        { parent_loop_id: "s1.w.1", continuation_kind: "Initial" },
        { parent_loop_id: "nobody" },
        { parent_loop_id: "l" },
      ] as const) {
        expect(() => recorder.record({ ...start, ...wrong })).toThrow(
          expect.objectContaining({ code: "invalid_event" }),
        );
      }
      expect(recordOf(recorder).loops).toHaveLength(1);
    },
  ],
];

const snapshots: Row[] = [
  [
    "LoopConfigSnapshot",
    "holds the model, its provider and the settings that are set",
    () => {
      const settings = {
        ...config,
        config_id: "fast",
        name: "Weaver One",
        api: "anthropic_messages",
        base_url: "https://loomworks.example",
        reasoning: true,
        context_window: 200_000,
        max_tokens: 4096,
        thinking_level: "low",
        temperature: 0.5,
      };

      expect(testRecorder().loop({ config: settings }).record.config).toEqual(settings);
      expect(testRecorder().loop({ config }).record.config).toEqual(config);
    },
  ],
  [
    "LoopConfigSnapshot",
    "holds no API key, whatever it is given",
    () => {
      const recorder = testRecorder();
      const withKey = { ...config, api_key: "sk-loom-secret", hooks: () => 1 };
      recorder.loop({ config: withKey });

      expect(
        JSON.stringify(contentOf(recorder).messages.map(({ options }) => options)),
      ).not.toMatch(/sk-loom-secret/);
    },
  ],
  [
    "LoopConfigSnapshot",
    "settings are those of a loop, not of its session",
    () => {
      const recorder = testRecorder();
      recorder.loop({ config: { ...config, temperature: 0 } });
      recorder.loop({ config: { ...config, temperature: 1 } });

      expect(recordOf(recorder).loops.map((loop) => loop.config?.temperature)).toEqual([0, 1]);
    },
  ],
];

const events: Row[] = [
  [
    "events field",
    "every event of the loop in order, with a monotonic sequence",
    () => {
      const loop = testRecorder().loop();
      loop.startTurn();
      loop.say(assistant("Let me see."));
      loop.startTool(call, { path: "src" });
      loop.progress(call, "half of it");
      loop.updateTool(call, ["loom.py"]);
      loop.endTool(call, { result: ["loom.py"] });
      loop.endTurn();
      loop.end();

      expect(loop.record.events.map(({ sequence, event }) => [sequence, event.type])).toEqual([
        [0, "AgentStart"],
        [1, "TurnStart"],
        [2, "MessageEnd"],
        [3, "ToolExecutionStart"],
        [4, "ProgressMessage"],
        [5, "ToolExecutionUpdate"],
        [6, "ToolExecutionEnd"],
        [7, "TurnEnd"],
        [8, "AgentEnd"],
      ]);
    },
  ],
  [
    "include_streaming_events",
    "MessageUpdate is left out by default",
    () => {
      const recorder = testRecorder();
      const loop = recorder.loop();
      loop.stream({ Text: { delta: "Be" } });

      expect(loop.record.events).toHaveLength(1);
      expect(contentOf(recorder).messages).toHaveLength(2);
    },
  ],
  [
    "include_streaming_events",
    "MessageUpdate is kept where that is asked for",
    () => {
      const loop = testRecorder({ includeStreamingEvents: true }).loop();
      loop.stream({ Text: { delta: "Be" } });

      expect(loop.record.events[1]).toMatchObject({
        sequence: 1,
        event: { type: "MessageUpdate", delta: { Text: { delta: "Be" } } },
      });
    },
  ],
  [
    "Messages from AgentEnd, not reconstructed from events",
    "AgentEnd.messages is the authoritative source, in its order",
    () => {
      const recorder = testRecorder();
      const loop = recorder.loop();
      loop.say(user("One."));
      loop.say(assistant("Draft."));
      loop.say(assistant("Two."));
      loop.end({ messages: [user("One."), assistant("Two."), assistant("Three.")] });

      expect(textsOf(loop.record.messages)).toEqual([
        "user: One.",
        "assistant: Two.",
        "assistant: Three.",
      ]);
      // What was said and is not in the end was said all the same, once.
      expect(textsOf(contentOf(recorder).messages)).toEqual([
        "user: One.",
        "assistant: Draft.",
        "assistant: Two.",
        "assistant: Three.",
      ]);
    },
  ],
  [
    "Messages from AgentEnd, not reconstructed from events",
    "an end that says less of a message means the one that was recorded",
    () => {
      const recorder = testRecorder();
      const child = recorder.loop().spawn(call);
      child.say({ ...user("Find it."), timestamp: "2026-03-01T08:00:00Z" });
      child.say({ role: "assistant", content: "Found.", model: "weaver-1", usage });
      const said = child.record.messages;
      child.end({ messages: [user("Find it."), assistant("Found.")] });

      expect(child.record.messages).toEqual(said);
    },
  ],
  [
    "Messages from AgentEnd, not reconstructed from events",
    "an end that says more of a message means it too, and what is new of it is kept",
    () => {
      const recorder = testRecorder();
      const loop = recorder.loop();
      loop.say(user("<reminder>"));
      loop.say(assistant("Found."));
      const said = [...loop.record.messages];
      const reminder = { type: "text", text: "<reminder>" } as const;
      loop.end({
        messages: [
          { role: "user", content: [{ ...reminder, provenance: "injected", options: { a: 1 } }] },
          {
            role: "assistant",
            content: "Found.",
            timestamp: "2026-03-01T08:00:00Z",
            metadata: { cost: 3 },
          },
        ],
      });

      expect(loop.record.messages).toEqual(said);
      expect(loop.record.events.at(-1)?.event).toMatchObject({
        messages: ["s1.w.1#1.w", "s1.w.1#2.w"],
        additions: [
          {
            message_id: "s1.w.1#1.w",
            parts: [{ id: "0", provenance: "injected", options: { a: 1 } }],
          },
          {
            message_id: "s1.w.1#2.w",
            timestamp: "2026-03-01T08:00:00Z",
            rest: { metadata: { cost: 3 } },
          },
        ],
      });
      expect(testRecorder().resume(contentOf(recorder))).toEqual(recordOf(recorder));
    },
  ],
  [
    "Messages from AgentEnd, not reconstructed from events",
    "of a message that an end says in part only what is new or otherwise is kept",
    () => {
      const loop = testRecorder().loop();
      const text = { type: "text", text: "Found." } as const;
      const found = { role: "assistant", model: "weaver-1" } as const;
      loop.say({ ...found, content: [{ ...text, options: { a: 1, b: 2 } }], usage });
      loop.say({ ...found, content: "It is here.", usage });
      loop.end({
        messages: [
          { ...found, content: [{ ...text, options: { a: 1 } }] },
          { ...found, content: "It is here.", stop_reason: "stop" },
        ],
      });

      expect(loop.record.events.at(-1)?.event).toMatchObject({
        messages: ["s1.w.1#1.w", "s1.w.1#2.w"],
        additions: [{ message_id: "s1.w.1#2.w", rest: { stop_reason: "stop" } }],
      });
    },
  ],
  [
    "Messages from AgentEnd, not reconstructed from events",
    "an end that says something more often says it again, and means what it names best",
    () => {
      const loop = testRecorder().loop();
      loop.say({ role: "assistant", content: "Found.", model: "weaver-1" });
      loop.say({ role: "assistant", content: "Found.", model: "weaver-2" });
      loop.end({
        messages: [
          { role: "assistant", content: "Found.", model: "weaver-2" },
          { role: "assistant", content: "Found.", timestamp: "2026-03-01T08:00:00Z" },
          assistant("Found."),
        ],
      });

      expect(loop.record.messages.map(({ id }) => id)).toEqual([
        "s1.w.1#2.w",
        "s1.w.1#1.w",
        "s1.w.1#3.w",
      ]);
    },
  ],
];

test.each([...anatomy, ...status, ...kinds, ...snapshots, ...events])(
  "%s: %s",
  (_section, _statement, run) => run(),
);
