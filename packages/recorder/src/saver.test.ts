import type { SessionContent } from "@pond/canonical/adapter";
import { expect, test } from "vitest";
import { contentOf, testRecorder, user } from "./testing.ts";

/** A sink that keeps how many messages it was given, and fails when told to. */
function testSink() {
  const saved: (readonly [string, number])[] = [];
  const failing = new Set<string>();
  return {
    saved,
    failing,
    save: async ({ session, messages }: SessionContent) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (failing.has(session.id)) throw new Error(`no room for ${session.id}`);
      saved.push([session.id, messages.length]);
    },
  };
}

test("events recorded in one go are saved in one go", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  const loop = recorder.loop();
  loop.say(user("Why?"));
  await recorder.checkpoint();
  loop.end();
  await recorder.checkpoint();
  await recorder.checkpoint();

  expect(sink.saved).toEqual([
    ["s1", 3],
    ["s1", 4],
  ]);
});

test("a session that grows while it is saved is saved again", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  const loop = recorder.loop();
  await Promise.resolve();
  await Promise.resolve();
  loop.end();
  await recorder.checkpoint();

  expect(sink.saved).toEqual([
    ["s1", 2],
    ["s1", 3],
  ]);
});

test("a sink's error is thrown at the next checkpoint, and the save is tried again", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  sink.failing.add("s1");
  recorder.loop();
  await expect(recorder.checkpoint()).rejects.toThrow("no room for s1");

  sink.failing.clear();
  await recorder.checkpoint();

  expect(sink.saved).toEqual([["s1", 2]]);
});

test("a session that cannot be saved does not keep others from being saved", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  sink.failing.add("s1").add("s3");
  for (const _ of [1, 2, 3]) {
    recorder.rotate();
    recorder.loop();
  }

  await expect(recorder.flush()).rejects.toThrow(AggregateError);
  expect(sink.saved.map(([id]) => id)).toEqual(["s2"]);
  expect(recorder.drain()).toHaveLength(3);
});

test("a session that failed to save and was resumed is saved in its current state", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  sink.failing.add("s1");
  recorder.loop();
  await expect(recorder.flush()).rejects.toThrow("no room for s1");
  const [content] = recorder.drain();
  sink.failing.clear();
  if (content) recorder.resume(content);
  recorder.loop();
  await recorder.checkpoint();

  expect(sink.saved).toEqual([["s1", 4]]);
});

test("a checkpoint waits for what was recorded before it, not for what comes after", async () => {
  let saves = 0;
  const recorder = testRecorder({
    sink: {
      save: async () => {
        saves += 1;
        if (saves < 100) loop.say(user("And?"));
      },
    },
  });
  const loop = recorder.loop();
  await recorder.checkpoint();

  expect(saves).toBeLessThan(100);
});

test("a failed save is not thrown again once the session is resumed from the store", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  recorder.loop().end();
  await recorder.checkpoint();
  const stored = contentOf(recorder);
  sink.failing.add("s1");
  recorder.loop();
  await expect(recorder.flush()).rejects.toThrow("no room for s1");

  sink.failing.clear();
  recorder.resume(stored);
  await recorder.checkpoint();

  expect(sink.saved.at(-1)).toEqual(["s1", stored.messages.length]);
});

test("a failed save is not thrown again once the session was drained", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  sink.failing.add("s1");
  recorder.loop();
  await expect(recorder.flush()).rejects.toThrow("no room for s1");
  const [content] = recorder.drain();
  await recorder.flush();

  sink.failing.clear();
  if (content) recorder.resume(content);
  await recorder.checkpoint();

  expect(sink.saved).toEqual([["s1", 3]]);
});

test("a session that is drained before it is saved throws the failure once", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  sink.failing.add("s1");
  recorder.loop();
  const flushed = recorder.flush();
  recorder.drain();

  await expect(flushed).rejects.toThrow("no room for s1");
  await recorder.flush();
});

test("all callers that wait at the same time get the failure", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  sink.failing.add("s1");
  recorder.loop();
  await new Promise(setImmediate);
  const flushed = recorder.flush();
  recorder.drain();
  const waiting = [flushed, recorder.checkpoint(), recorder.checkpoint()];

  const outcomes = await Promise.allSettled(waiting);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  await recorder.checkpoint();
});

test("a session resumed while its save fails is saved only in its current state", async () => {
  const saved: number[] = [];
  let isDown = true;
  const recorder = testRecorder({
    sink: {
      save: async ({ messages }) => {
        await new Promise(setImmediate);
        if (!isDown) saved.push(messages.length);
        else {
          isDown = false;
          throw new Error("no room");
        }
      },
    },
  });
  recorder.loop();
  const flushed = recorder.flush();
  const [content] = recorder.drain();
  await Promise.resolve();
  if (content) recorder.resume(content);
  recorder.loop();
  await flushed;
  await recorder.checkpoint();

  expect(saved).toEqual([contentOf(recorder).messages.length]);
});

test("an error in afterTask does not keep the session from being saved", async () => {
  const sink = testSink();
  const recorder = testRecorder({
    sink,
    afterTask: () => {
      throw new Error("the bill is wrong");
    },
  });
  recorder.loop();

  await expect(recorder.flush()).rejects.toThrow("the bill is wrong");
  expect(sink.saved).toEqual([["s1", 3]]);
});

test("a flush throws all of its errors together", async () => {
  const sink = testSink();
  const recorder = testRecorder({
    sink,
    afterTask: ({ session_id }) => {
      throw new Error(`the bill of ${session_id} is wrong`);
    },
  });
  sink.failing.add("s2");
  for (const sessionId of ["s1", "s2"]) recorder.loop({ sessionId });

  await expect(recorder.flush()).rejects.toMatchObject({
    errors: [
      { message: "the bill of s1 is wrong" },
      { message: "the bill of s2 is wrong" },
      { message: "no room for s2" },
    ],
  });
  expect(sink.saved.map(([id]) => id)).toEqual(["s1"]);
});

test("an error in beforeTask is thrown, and the session is not recorded", () => {
  const recorder = testRecorder({
    beforeTask: () => {
      throw new Error("no account");
    },
  });

  expect(() => recorder.loop()).toThrow("no account");
  expect(recorder.sessions()).toEqual([]);
});

test("run throws the error of its task, even if the session was drained meanwhile", async () => {
  const recorder = testRecorder();
  const failed = recorder.run({}, async () => {
    await recorder.flush();
    recorder.drain();
    throw new Error("too late");
  });

  await expect(failed).rejects.toThrow("too late");
});

test("run ends its loop, or aborts it with the error that was thrown", async () => {
  const recorder = testRecorder();
  const answer = await recorder.run({}, async (loop) => {
    loop.say(user("Why?"));
    return 42;
  });
  const failed = recorder.run({}, async () => {
    throw new Error("the model is down");
  });

  expect(answer).toBe(42);
  await expect(failed).rejects.toThrow("the model is down");
  expect(recorder.loopRecord("s1.w.1")?.status).toBe("Completed");
  expect(recorder.loopRecord("s1.w.2")).toMatchObject({
    status: "Aborted",
    events: [{}, { event: { type: "LoopAborted", reason: "Error: the model is down" } }],
  });
});
