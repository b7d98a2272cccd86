// The phi-core session specification, a row a statement: sessions: how they are formed, their header, their loops.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createFileStore } from "../files/index.ts";
import { getLoop } from "../navigation.ts";
import {
  contentOf,
  idsOf,
  manualClock,
  type Row,
  recordOf,
  testRecorder,
  user,
} from "../testing.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-recorder-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const overview: Row[] = [
  [
    "Overview",
    "a session is the container for all loops of one session_id",
    () => {
      const recorder = testRecorder();
      recorder.loop().end();
      recorder.loop().end();
      recorder.loop({ sessionId: "other" }).end();

      expect(recorder.sessions().map(({ loops }) => loops.map(({ loop_id }) => loop_id))).toEqual([
        ["s1.w.1", "s1.w.2"],
        ["other.w.1"],
      ]);
    },
  ],
  [
    "Relationship to loops",
    "loops within a session form a tree",
    () => {
      const recorder = testRecorder();
      const first = recorder.loop();
      first.end();
      recorder.loop({ continues: first.loopId }).end();
      recorder.loop({ continues: first.loopId }).end();

      expect(recordOf(recorder).loops.map((loop) => loop.parent_loop_id)).toEqual([
        undefined,
        "s1.w.1",
        "s1.w.1",
      ]);
      expect(getLoop(recordOf(recorder), "s1.w.1")?.children_loop_ids).toEqual([
        "s1.w.2",
        "s1.w.3",
      ]);
    },
  ],
];

const formation: Row[] = [
  [
    "Session Formation",
    "a session is opened when its session_id is met first",
    () => {
      const recorder = testRecorder();
      recorder.record({ type: "AgentStart", loop_id: "l", session_id: "mine" });

      expect(recordOf(recorder, "mine")).toMatchObject({
        session_id: "mine",
        formation: { FirstLoop: { timestamp: "2026-03-01T09:00:00.000Z" } },
      });
    },
  ],
  [
    "PerSessionId (default)",
    "one session for the whole life of an agent",
    () => {
      const clock = manualClock();
      const recorder = testRecorder({ now: clock.now });
      recorder.loop().end();
      clock.set("2027-01-01T00:00:00Z");
      recorder.loop().end();

      expect(recorder.sessions()).toHaveLength(1);
    },
  ],
  [
    "InactivityTimeout",
    "opens a new session when the agent was idle longer than the threshold",
    () => {
      const clock = manualClock();
      const recorder = testRecorder({ now: clock.now, rotation: { inactivitySeconds: 1800 } });
      recorder.loop().end();
      clock.set("2026-03-01T09:30:00Z");
      recorder.loop().end();
      clock.set("2026-03-01T10:00:00.001Z");
      recorder.loop().end();

      expect(recorder.sessions().map(({ formation: how, loops }) => [how, loops.length])).toEqual([
        [{ FirstLoop: { timestamp: "2026-03-01T09:00:00.000Z" } }, 2],
        [
          {
            InactivityTimeout: {
              threshold_secs: 1800,
              previous_session_id: "s1",
              timestamp: "2026-03-01T10:00:00.001Z",
            },
          },
          1,
        ],
      ]);
    },
  ],
  [
    "InactivityTimeout",
    "an agent with a loop that runs is not idle",
    () => {
      const clock = manualClock();
      const recorder = testRecorder({ now: clock.now, rotation: { inactivitySeconds: 60 } });
      recorder.loop();
      clock.set("2026-03-02T09:00:00Z");

      expect(recorder.loop().sessionId).toBe("s1");
    },
  ],
  [
    "InactivityTimeout",
    "the threshold is a whole number of seconds",
    () => {
      for (const inactivitySeconds of [0, -1, 0.5, Number.NaN]) {
        expect(() => testRecorder({ rotation: { inactivitySeconds } })).toThrow(RangeError);
      }
    },
  ],
  [
    "Explicit rotation",
    "rotates at once: all later loops belong to the new session",
    () => {
      const recorder = testRecorder();
      recorder.loop().end();
      const id = recorder.rotate();

      expect([recorder.loop().sessionId, recorder.loop().sessionId]).toEqual([id, id]);
      expect(recordOf(recorder, id).formation).toHaveProperty("FirstLoop");
    },
  ],
];

const concept: Row[] = [
  [
    "HEADER",
    "agent_id and created_at are those of the first AgentStart",
    () => {
      const recorder = testRecorder();
      recorder.loop({ agentId: "first" }).end();
      recorder.loop({ agentId: "second" });

      expect(recordOf(recorder)).toMatchObject({
        agent_id: "first",
        created_at: "2026-03-01T09:00:00.000Z",
      });
      expect(contentOf(recorder).session).toMatchObject({
        source_agent: "loom-agent",
        project: "/home/ada/loom",
        created_at: BigInt(Date.parse("2026-03-01T09:00:00Z")) * 1000n,
      });
    },
  ],
  [
    "HEADER",
    "last_active_at is when the last loop opened, not when something last happened",
    () => {
      const recorder = testRecorder();
      recorder.loop().end();
      const second = recorder.loop();
      second.say(user("still here"));

      expect(recordOf(recorder).last_active_at).toBe(second.record.started_at);
    },
  ],
  [
    "HEADER",
    "scope is persistent where sessions are kept, else ephemeral",
    () => {
      const [kept, lost] = [testRecorder({ sink: createFileStore(folder) }), testRecorder()];
      for (const each of [kept, lost]) each.loop();

      expect([recordOf(kept).scope, recordOf(lost).scope]).toEqual(["persistent", "ephemeral"]);
      return kept.checkpoint();
    },
  ],
  [
    "Formation",
    "the recorder never says Explicit, also where the caller named the session",
    () => {
      const recorder = testRecorder();
      recorder.loop({ sessionId: "mine" });

      expect(Object.keys(recordOf(recorder, "mine").formation)).toEqual(["FirstLoop"]);
    },
  ],
  [
    "LINE ITEMS: Loops (Iterations)",
    "loops are sorted by started_at",
    () => {
      const recorder = testRecorder();
      const start = { type: "AgentStart", session_id: "s" } as const;
      recorder.record({ ...start, loop_id: "late", timestamp: "2026-03-01T10:00:00Z" });
      recorder.record({ ...start, loop_id: "early", timestamp: "2026-03-01T09:00:00+02:00" });

      expect(idsOf(recordOf(recorder, "s").loops)).toEqual(["early", "late"]);
    },
  ],
  [
    "LINE ITEMS: Loops (Iterations)",
    "loops that began at one time stand as they came, those that have not begun last",
    () => {
      const recorder = testRecorder();
      recorder.record({ type: "ParallelLoopStart", session_id: "s", loop_ids: ["a", "b", "c"] });
      for (const [loop_id, hour] of [
        ["d", 9],
        ["c", 10],
        ["e", 8],
        ["a", 9],
      ] as const) {
        const timestamp = `2026-03-01T${String(hour).padStart(2, "0")}:00:00Z`;
        recorder.record({ type: "AgentStart", session_id: "s", loop_id, timestamp });
      }

      expect(idsOf(recordOf(recorder, "s").loops)).toEqual(["e", "d", "a", "c", "b"]);
    },
  ],
  [
    "LINE ITEMS: Input Filters",
    "a filter's refusal is an event before the end",
    () => {
      const loop = testRecorder().loop();
      loop.reject("off topic");

      expect(loop.record.events[1]?.event).toMatchObject({
        type: "InputRejected",
        reason: "off topic",
      });
    },
  ],
];

test.each([...overview, ...formation, ...concept])("%s: %s", (_section, _statement, run) => run());
