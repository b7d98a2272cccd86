import { expect, it } from "vitest";
import { messageFromWire } from "../wire.ts";
import { courseByRules, courseWithout } from "./course.ts";

const message = messageFromWire({
  ...{ id: "m", session_id: "s", role: "user", content: [], options: {} },
  timestamp: "2026-03-01T09:00:00.000Z",
});

it("gives each rule what the rules before it left, however much they undo", () => {
  const messages = Array.from({ length: 300_000 }, () => ({ ...message }));

  const { live, undone } = courseByRules(messages, [
    (left) => courseWithout(left, new Set(left.slice(10))),
    (left) => courseWithout(left, new Set(left.slice(0, 1))),
  ]);

  expect(live).toEqual(messages.slice(1, 10));
  expect(undone.length).toBe(messages.length - 9);
  expect(undone.at(-1)).toBe(messages[0]);
});
