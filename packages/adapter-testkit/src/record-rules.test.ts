import type { Message } from "@pond/canonical";
import type { Course } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { courseOf, type DraftMessage, draftMessage, liveIds } from "./record-rules.ts";

const drafts: readonly DraftMessage[] = [
  ["a", "one", {}],
  ["b", "said", {}, "assistant"],
  ["c", "", { record: { type: "mark" } }, "system"],
  ["d", "told", {}, "harness"],
];
const messages = drafts.map(draftMessage);
const saying = (course: (all: readonly Message[]) => Course) => ({
  course: ({ messages: all }: { readonly messages: readonly Message[] }) => course(all),
});

describe("a course", () => {
  it("is the one that the record rules give", () => {
    const rules = saying((all) => ({ live: all.slice(2), undone: all.slice(0, 2) }));

    expect(liveIds(rules, ...drafts)).toBe("c d");
  });

  it.each<[string, (all: readonly Message[]) => Course]>([
    ["loses", (all) => ({ live: all.slice(1), undone: [] })],
    ["repeats", (all) => ({ live: all, undone: all.slice(1) })],
    ["invents", (all) => ({ live: [...all, draftMessage(["e", "new", {}])], undone: [] })],
    ["moves", (all) => ({ live: all.toReversed(), undone: [] })],
  ])("is refused if it %s a message", (_, course) => {
    expect(() => courseOf(saying(course), messages)).toThrow(Error);
  });

  it("is refused if the record rules define none", () => {
    expect(() => courseOf({}, messages)).toThrow("say nothing of a course");
  });
});
