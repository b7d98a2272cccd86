import {
  messageFromWire,
  messageToWire,
  PondError,
  parseJson,
  sessionFromWire,
  sessionToWire,
  stringifyJson,
} from "@pond/canonical";
import type { SessionContent } from "@pond/canonical/adapter";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { MessageDraft } from "./drafts.ts";
import type { LoopHandle } from "./loop-handle.ts";
import type { RecorderOptions } from "./options.ts";
import type { ParallelGroupHandle } from "./parallel-handle.ts";
import type { Recorder } from "./recorder.ts";
import { snapshot } from "./snapshot.ts";
import { testRecorder, validate } from "./testing.ts";

/** What an agent does, with whichever loop or group the number means; some of it is impossible. */
type Step = {
  readonly action: keyof typeof actions;
  readonly pick: number;
  readonly said: MessageDraft;
};

type Agent = {
  readonly recorder: Recorder;
  readonly loops: LoopHandle[];
  readonly groups: ParallelGroupHandle[];
};

type Picked = Agent & { readonly loop: LoopHandle; readonly step: Step };

const call = { call_id: "call", name: "look" };
const block = { keep_compacted: { range: { startTurn: 0, endTurn: 1 }, messages: [] } };

const actions = {
  begin: ({ recorder, loops }: Picked) => loops.push(recorder.loop()),
  rotate: ({ recorder }: Picked) => recorder.rotate(),
  goOn: ({ recorder, loops, loop }: Picked) =>
    loops.push(recorder.loop({ continues: loop.loopId })),
  rerun: ({ recorder, loops, loop }: Picked) =>
    loops.push(recorder.loop({ continues: loop.loopId, as: { Rerun: { tag: "again" } } })),
  group: ({ recorder, groups, step: { said } }: Picked) =>
    groups.push(recorder.parallelGroup({ branches: 2, prompt: said })),
  branch: ({ groups, loops, step: { pick } }: Picked) => {
    const group = groups[pick % Math.max(1, groups.length)];
    if (group) loops.push(group.start(pick % 3));
  },
  select: ({ groups, step: { pick } }: Picked) =>
    groups[pick % Math.max(1, groups.length)]?.select(pick % 3),
  say: ({ loop, step: { said } }: Picked) => loop.say(said),
  stream: ({ loop }: Picked) => loop.stream({ Text: { delta: "x" } }),
  startTurn: ({ loop }: Picked) => loop.startTurn(),
  endTurn: ({ loop }: Picked) => loop.endTurn({ input: 1, output: 1 }),
  startTool: ({ loop }: Picked) => loop.startTool(call, { path: "src" }),
  endTool: ({ loop }: Picked) => loop.endTool(call, { result: [1, null, "x"] }),
  spawn: ({ loop, loops }: Picked) => loops.push(loop.spawn(call)),
  compact: ({ loop }: Picked) => loop.compact(block),
  reject: ({ loop }: Picked) => loop.reject("no"),
  abort: ({ loop }: Picked) => loop.abort(),
  end: ({ loop }: Picked) => loop.end(),
  endAs: ({ loop, step: { said } }: Picked) => loop.end({ messages: [said, said] }),
};

const text = fc.constantFrom("Why?", "Wool.", "", "\u0000 織 🧵");
const said: fc.Arbitrary<MessageDraft> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), content: text }),
  fc.record({ role: fc.constant("system" as const), content: text }),
  fc.record({
    role: fc.constant("assistant" as const),
    content: fc.array(
      fc.oneof(
        fc.record({ type: fc.constantFrom("text" as const, "reasoning" as const), text }),
        fc.record({
          type: fc.constant("tool_call" as const),
          call_id: text,
          name: text,
          params: fc.jsonValue() as fc.Arbitrary<string>,
        }),
      ),
      { maxLength: 3 },
    ),
  }),
  fc.record({
    role: fc.constant("user" as const),
    content: fc.array(
      fc.record({
        type: fc.constant("file" as const),
        media_type: fc.constant("image/png"),
        data: fc.record({ type: fc.constant("bytes" as const), bytes: fc.uint8Array() }),
      }),
      { maxLength: 2 },
    ),
  }),
);

const step: fc.Arbitrary<Step> = fc.record({
  action: fc.constantFrom(...(Object.keys(actions) as (keyof typeof actions)[])),
  pick: fc.nat(50),
  said,
});

/** Does a step. @returns Whether that was possible. */
function take(agent: Agent, each: Step): boolean {
  const loop = agent.loops[each.pick % agent.loops.length];
  if (loop === undefined) return false;
  try {
    actions[each.action]({ ...agent, loop, step: each });
    return true;
  } catch (error) {
    if (!PondError.is(error)) throw error;
    return false;
  }
}

function newAgent(options: Partial<RecorderOptions> = {}): Agent {
  const recorder = testRecorder({ includeStreamingEvents: true, ...options });
  return { recorder, loops: [], groups: [] };
}

function begunAgent(options: Partial<RecorderOptions> = {}): Agent {
  const agent = newAgent(options);
  agent.loops.push(agent.recorder.loop());
  return agent;
}

function contentsOf({ recorder }: Agent): readonly SessionContent[] {
  return recorder.sessions().flatMap(({ session_id }) => recorder.content(session_id) ?? []);
}

/** As a store gives it back. */
function reread({ session, messages }: SessionContent): SessionContent {
  const copy = (value: unknown) => parseJson(stringifyJson(snapshot(value)));
  return {
    session: sessionFromWire(copy(sessionToWire(session))),
    messages: messages.map((message) => {
      return structuredClone(messageFromWire(copy(messageToWire(message))));
    }),
  };
}

const steps = fc.array(step, { maxLength: 40, size: "max" });

test("whatever the order of events, every session is canonical and only ever grows", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const agent = begunAgent();
      let before = contentsOf(agent);
      for (const each of all) {
        const isPossible = take(agent, each);
        const after = contentsOf(agent);
        for (const [index, { session, messages }] of before.entries()) {
          expect(after[index]?.session).toEqual(session);
          expect(after[index]?.messages.slice(0, messages.length)).toEqual(messages);
        }
        if (!isPossible && each.action !== "reject") expect(after).toEqual(before);
        before = after;
      }
      for (const content of before) validate(content);
    }),
  );
});

test("a session that is read back resumes with the same record and content", () => {
  fc.assert(
    fc.property(steps, (all) => {
      const agent = begunAgent();
      for (const each of all) take(agent, each);

      for (const content of contentsOf(agent)) {
        const again = testRecorder();
        // A clone has its bytes in an array again, not in a buffer.
        const record = structuredClone(again.resume(reread(content)));
        expect(record).toEqual(agent.recorder.session(content.session.id));
        expect(again.content(content.session.id)).toEqual(content);
      }
    }),
  );
});

// A recorder that reads a session back has no handles of groups, and its own session to begin in.
const ofLoops = step.filter(
  ({ action }) => !["begin", "rotate", "group", "branch", "select"].includes(action),
);

test("sessions that are read back go on as they would have", () => {
  fc.assert(
    fc.property(steps, fc.array(ofLoops, { maxLength: 20, size: "max" }), (all, more) => {
      const now = (): Date => new Date(0);
      let ids = 0;
      const agent = begunAgent({ now, newSessionId: () => `s${++ids}` });
      for (const each of all) take(agent, each);
      let idsThen = ids;
      const resumed = newAgent({ now, newSessionId: () => `s${++idsThen}` });
      for (const content of contentsOf(agent)) resumed.recorder.resume(reread(content));
      for (const { recorder, loops } of [agent, resumed]) {
        const records = recorder.sessions().flatMap((session) => session.loops);
        loops.splice(0, loops.length, ...records.map(({ loop_id }) => recorder.attach(loop_id)));
      }

      for (const each of more) expect(take(resumed, each)).toBe(take(agent, each));

      const plain = (each: Agent) => contentsOf(each).map(reread);
      expect(plain(resumed)).toEqual(plain(agent));
    }),
  );
});
