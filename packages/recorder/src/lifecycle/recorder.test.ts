// The phi-core session specification, a row a statement: the recorder: its use and its callbacks.
import { expect, test } from "vitest";
import { call, type Row, testRecorder } from "../testing.ts";

const usageRows: Row[] = [
  [
    "SessionRecorder Usage",
    "events, then flush, then drain: the completed sessions are handed out once",
    async () => {
      const recorder = testRecorder();
      recorder.loop().end();
      const early = recorder.drain();
      await recorder.flush();

      expect(early).toEqual([]);
      expect(recorder.drain().map(({ session }) => session.id)).toEqual(["s1"]);
      expect([recorder.drain(), recorder.sessions()]).toEqual([[], []]);
    },
  ],
  [
    "When to call flush()",
    "a session that is over takes no loops; the next loop begins another",
    async () => {
      const recorder = testRecorder();
      recorder.loop();
      await recorder.flush();

      expect(() => recorder.loop({ sessionId: "s1" })).toThrow(
        expect.objectContaining({ code: "session_closed" }),
      );
      expect(recorder.loop().sessionId).toBe("s2");
    },
  ],
];

const callbacks: Row[] = [
  [
    "Session Lifecycle Callbacks",
    "beforeTask is asked once a session, before its first loop",
    () => {
      const asked: unknown[] = [];
      const recorder = testRecorder({
        beforeTask: ({ session_id, agent_id, loops }) => {
          asked.push([session_id, agent_id, loops.length]);
        },
      });
      recorder.loop().end();
      recorder.loop().spawn(call, { agentId: "explorer" });

      expect(asked).toEqual([
        ["s1", "loom-agent", 0],
        ["s2", "explorer", 0],
      ]);
    },
  ],
  [
    "Session Lifecycle Callbacks",
    "beforeTask rejects a session with false: nothing of it is recorded",
    () => {
      const recorder = testRecorder({ beforeTask: () => false });
      const rejected = expect.objectContaining({
        code: "session_closed",
        details: { session_id: "s1", state: "rejected" },
      });

      expect(() => recorder.loop()).toThrow(rejected);
      expect(() => recorder.loop()).toThrow(rejected);
      expect(recorder.sessions()).toEqual([]);
    },
  ],
  [
    "Session Lifecycle Callbacks",
    "beforeTask answers at once: a promise records nothing",
    () => {
      const recorder = testRecorder({ beforeTask: (async () => false) as never });

      expect(() => recorder.loop()).toThrow(
        new TypeError("beforeTask: expected an answer at once, not a promise"),
      );
      expect(recorder.sessions()).toEqual([]);
    },
  ],
  [
    "Session Lifecycle Callbacks",
    "afterTask is told once a session, by flush, with all loops finalized",
    async () => {
      const finishedSessions: unknown[] = [];
      const recorder = testRecorder({
        afterTask: ({ session_id, loops }) =>
          finishedSessions.push([session_id, loops.map((l) => l.status)]),
      });
      recorder.loop().end();
      recorder.loop();
      await recorder.flush();
      await recorder.flush();

      expect(finishedSessions).toEqual([["s1", ["Completed", "Aborted"]]]);
    },
  ],
  [
    "Session Lifecycle Callbacks",
    "they are of sessions, not of loops",
    async () => {
      let calls = 0;
      const recorder = testRecorder({
        beforeTask: () => {
          calls += 1;
          return undefined;
        },
        afterTask: () => {
          calls += 1;
        },
      });
      for (let loop = 0; loop < 3; loop += 1) recorder.loop().end();
      await recorder.flush();

      expect(calls).toBe(2);
    },
  ],
];

test.each([...usageRows, ...callbacks])("%s: %s", (_section, _statement, run) => run());
