import { messageFromWire, messageToWire, stringifyJson } from "@pond/canonical";
import { expect, test } from "vitest";
import { createRecorder } from "./recorder.ts";
import { snapshot } from "./snapshot.ts";
import { call, contentOf, idsOf, recordOf, testRecorder, textsOf, user } from "./testing.ts";

test("a loop that was running continues where it was left", () => {
  const first = testRecorder();
  const loop = first.loop();
  loop.startTurn();
  loop.say(user("Why?"));
  const left = contentOf(first);

  const second = testRecorder();
  expect(second.resume(left).loops[0]?.status).toBe("Running");
  const again = second.attach("s1.w.1");
  again.say({ role: "assistant", content: "Because." });
  again.endTurn();
  again.end();

  const { messages } = contentOf(second);
  expect(messages.slice(0, left.messages.length)).toEqual(left.messages);
  expect(textsOf(messages)).toEqual(["user: Why?", "assistant: Because."]);
  expect(again.record).toMatchObject({ status: "Completed", turns: [{ triggered_by: "User" }] });
});

test.each(["2026-03-01T10:00:00+02:00", "2026-03-01T09:00:00.1234567Z"])(
  "a message with the timestamp %s is resumed as it was recorded",
  (timestamp) => {
    const first = testRecorder();
    first.loop().say({ role: "user", content: "Why?", timestamp });

    expect(testRecorder().resume(contentOf(first))).toEqual(recordOf(first));
  },
);

test("the next loop begins in the resumed session, after its loops", () => {
  const first = testRecorder();
  first.loop().end();

  const second = testRecorder();
  second.resume(contentOf(first));
  second.loop().end();

  expect(idsOf(recordOf(second).loops)).toEqual(["s1.w.1", "s1.w.2"]);
});

test("a session whose ids name no writer, as in the first versions, can be continued", () => {
  const first = testRecorder();
  const loop = first.loop({ loopId: "s1.1" });
  loop.say(user("Why?"));
  const { session, messages } = contentOf(first);
  const text = stringifyJson(messages.map((message) => snapshot(messageToWire(message))));
  const stored = JSON.parse(text.replaceAll('.w"', '"')).map(messageFromWire);

  const second = testRecorder();
  second.resume({ session, messages: stored });
  second.attach("s1.1").end();

  const ids = ["session", "s1.1#0", "s1.1#1", "s1.1#2.w"];
  expect(contentOf(second).messages.map(({ id }) => id)).toEqual(ids);
  expect(contentOf(second).messages.slice(0, 3)).toEqual(stored);
});

test("recorders without a writer name given use different ids", () => {
  const create = () => createRecorder({ agent: "loom-agent", project: "/home/ada/loom" });
  const [one, other] = [create(), create()].map((recorder) => {
    const loop = recorder.loop({ sessionId: "chat-42" });
    return [loop.loopId, ...contentOf(recorder, "chat-42").messages.map(({ id }) => id)];
  });

  expect(one).toHaveLength(3);
  expect(one?.filter((id) => other?.includes(id))).toEqual([]);
});

test("a flush aborts the running loop of a resumed session and loses no message", async () => {
  const first = testRecorder();
  first.loop().say(user("Why?"));

  const second = testRecorder();
  second.resume(contentOf(first));
  await second.flush();

  const [content] = second.drain();
  expect(textsOf(content?.messages ?? [])).toEqual(["user: Why?"]);
  expect(testRecorder().resume(content ?? contentOf(first)).loops[0]?.status).toBe("Aborted");
});

test("a drained session can be resumed from the content that drain returned", async () => {
  const recorder = testRecorder();
  recorder.loop().end();
  await recorder.flush();
  const [content] = recorder.drain();
  const begin = () => recorder.loop({ sessionId: "s1" });

  expect(begin).toThrow(
    expect.objectContaining({ details: { session_id: "s1", state: "drained" } }),
  );
  if (content) recorder.resume(content);
  expect(begin().loopId).toBe("s1.w.2");
});

test("a resumed child session is found by the call that spawned it", () => {
  const first = testRecorder();
  const parent = first.loop();
  parent.spawn(call);

  const second = testRecorder();
  for (const id of ["s1", "s2"]) second.resume(contentOf(first, id));
  const again = second.attach(parent.loopId);
  again.endTool(call);

  expect(again.record.child_loop_refs).toMatchObject([{ child_loop_id: "s2.w.sub.1" }]);
  expect(second.loop().sessionId).toBe("s1");
});

test("a session that is open cannot be resumed again", () => {
  const recorder = testRecorder();
  recorder.loop();

  expect(() => recorder.resume(contentOf(recorder))).toThrow("session s1 is open here already");
});

test.each([
  ["its head", 0, "not recorded by @pond/recorder"],
  ["the start of a loop", 1, "loop s1.w.1 is Unknown"],
  ["a message", 2, "what comes before s1.w.1#2.w is missing"],
])("a session that lacks %s is not resumed", (_, index, reason) => {
  const recorder = testRecorder();
  const loop = recorder.loop();
  loop.say(user("Why?"));
  loop.end();
  const { session, messages } = contentOf(recorder);
  const broken = { session, messages: messages.filter((_message, at) => at !== index) };

  expect(() => testRecorder().resume(broken)).toThrow(
    expect.objectContaining({ code: "not_resumable", message: expect.stringContaining(reason) }),
  );
});
