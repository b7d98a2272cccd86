import { describe, expect, it } from "vitest";
import { fuse } from "./fuse.ts";

const byName = (left: string, right: string): number => (left < right ? -1 : 1);
const itself = (id: string): string => id;

/** Hits of `name:score` texts. */
function hits(...texts: readonly string[]) {
  return texts.map((text) => {
    const [sessionId = "", score = ""] = text.split(":");
    return { sessionId, score: Number(score) };
  });
}

const order = (ranked: ReturnType<typeof fuse>): string[] =>
  ranked.map(({ rootId, score }) => `${rootId}:${Math.round(score * 100) / 100}`);

describe("fuse", () => {
  it("stretches each arm to 0..1 and adds the arms up by weight", () => {
    const arms = [
      { name: "message", weight: 0.5, decay: 0, hits: hits("a:30", "b:20", "c:10") },
      { name: "window", weight: 1, decay: 0, hits: hits("b:3", "a:2", "c:1") },
    ];

    expect(order(fuse(arms, itself, byName))).toEqual(["b:1.25", "a:1", "c:0"]);
  });

  it("counts at most three hits of a root, so that a huge session does not win by its length", () => {
    const huge = Array.from({ length: 50 }, (_, at) => `huge:${6 - at / 1000}`);
    const arms = [
      { name: "message", weight: 1, decay: 0.3, hits: hits("good:11", ...huge, "x:1") },
    ];

    expect(order(fuse(arms, itself, byName))).toEqual(["good:1", "huge:0.69", "x:0"]);
  });

  it("counts a text that a root repeats only once", () => {
    const arms = [
      { name: "message", weight: 1, decay: 0.3, hits: hits("a/1:6", "a/2:6", "b:6", "b:2", "x:1") },
    ];

    expect(order(fuse(arms, (id) => id.slice(0, 1), byName))).toEqual(["b:1", "a:0.94", "x:0"]);
  });

  it("folds sub-agents into their root and leaves out sessions without one", () => {
    const arms = [
      { name: "message", weight: 1, decay: 0.5, hits: hits("a/sub:3", "gone:2", "b:1") },
    ];
    const rootOf = (id: string): string | undefined => (id === "gone" ? undefined : id.slice(0, 1));

    expect(order(fuse(arms, rootOf, byName))).toEqual(["a:1", "b:0"]);
  });

  it("stretches an arm from 0 instead of its last hit if isFromZero is set", () => {
    const arms = [
      {
        ...{ name: "message", weight: 1, decay: 0, isFromZero: true },
        hits: hits("a:8", "b:4", "c:2"),
      },
    ];

    expect(order(fuse(arms, itself, byName))).toEqual(["a:1", "b:0.5", "c:0.25"]);
  });

  it("does not stretch an arm whose scores are shares", () => {
    const arms = [{ name: "literal", weight: 2, decay: 0, hits: hits("a:0.5"), isShare: true }];

    expect(fuse(arms, itself, byName)).toEqual([
      { rootId: "a", score: 1, votes: { literal: 0.5 } },
    ]);
  });

  it("leaves the order of equal roots to the caller", () => {
    const arms = [{ name: "message", weight: 1, decay: 0, hits: hits("b:1", "a:1") }];

    expect(order(fuse(arms, itself, byName))).toEqual(["a:1", "b:1"]);
  });
});
