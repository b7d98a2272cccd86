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

test("what happens in one go is saved in one go", async () => {
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

test("what a sink throws comes at the next checkpoint, and what failed is tried again", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  sink.failing.add("s1");
  recorder.loop();
  await expect(recorder.checkpoint()).rejects.toThrow("no room for s1");

  sink.failing.clear();
  await recorder.checkpoint();

  expect(sink.saved).toEqual([["s1", 2]]);
});

test("one session that fails keeps no other from being saved", async () => {
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

test("a session that could not be saved and was taken up again is saved as it is now", async () => {
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

test("a checkpoint waits for what was recorded before it, not for what comes later", async () => {
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

test("what could not be saved is thrown no more once the session is taken up from the store", async () => {
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

test("what could not be saved is thrown no more once it was handed out", async () => {
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

test("a session that is handed out before it was saved throws what failed, once", async () => {
  const sink = testSink();
  const recorder = testRecorder({ sink });
  sink.failing.add("s1");
  recorder.loop();
  const flushed = recorder.flush();
  recorder.drain();

  await expect(flushed).rejects.toThrow("no room for s1");
  await recorder.flush();
});

test("all who wait at once are told what failed", async () => {
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

test("a session that is taken up while its save fails is saved as it is now, and not as it was", async () => {
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

test("what afterTask throws keeps nothing from being saved", async () => {
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

test("of all that a flush throws nothing is kept back", async () => {
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

test("what beforeTask throws is thrown, and the session is not there", () => {
  const recorder = testRecorder({
    beforeTask: () => {
      throw new Error("no account");
    },
  });

  expect(() => recorder.loop()).toThrow("no account");
  expect(recorder.sessions()).toEqual([]);
});

test("run says what was thrown, also where its session was handed out meanwhile", async () => {
  const recorder = testRecorder();
  const failed = recorder.run({}, async () => {
    await recorder.flush();
    recorder.drain();
    throw new Error("too late");
  });

  await expect(failed).rejects.toThrow("too late");
});

test("run ends its loop, or aborts it with what was thrown", async () => {
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
