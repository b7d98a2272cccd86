import { describe, expect, it } from "vitest";
import { candidatesOf, type Found, guessesOf, titledSessionsOf } from "./candidates.ts";
import type { MessageHit } from "./full-text.ts";

// A hit is its session and its place there: row 12 is message "2" of session "s1".
const hit = (row: number) => ({
  row: BigInt(row),
  sessionId: `s${Math.floor(row / 10)}`,
  id: String(row % 10),
  ...{ role: "user", timestamp: 0n, parts: [], text: `pick ${row}` },
});
const message = (row: number, rank: number) => ({ ...hit(row), score: rank, rank });
const literal = (row: number, share: number) => ({ ...hit(row), share });
const window = (session: number, score: number, places: readonly number[]) => ({
  ...{ sessionId: `s${session}`, score },
  messageIds: JSON.stringify(places.map(String)),
});
const nothing: Found = { messages: [], windows: [], literals: [], vectors: [] };

/** Session `s2` is below `s1`; of `s9` nothing is asked. */
const rootOf = (id: string): string | undefined =>
  id === "s9" ? undefined : id === "s2" ? "s1" : id;

/** Rows to show, by root. */
function shown(found: Partial<Found>): Record<string, number[]> {
  const all = { ...nothing, ...found };
  const byRoot = candidatesOf(all, rootOf);
  return Object.fromEntries(
    [...byRoot].map(([root, own]) => [root, own.map(({ row }) => Number(row))]),
  );
}

describe("candidatesOf", () => {
  it.each<[string, Partial<Found>, Record<string, number[]>]>([
    [
      "the three best messages of a root, whichever session holds them",
      { messages: [message(10, 4), message(20, 3), message(11, 2), message(12, 1)] },
      { s1: [10, 20, 11] },
    ],
    [
      "a message with a literal before one with a higher BM25 score",
      { messages: [message(10, 4), message(11, 1)], literals: [literal(11, 1)] },
      { s1: [11, 10] },
    ],
    [
      "a better match before a message in a matching window",
      {
        messages: [message(30, 2), message(31, 1.9), message(40, 0)],
        windows: [window(3, 1, [1])],
      },
      { s3: [30, 31], s4: [40] },
    ],
    [
      "no messages of sessions that are not asked for",
      { messages: [message(90, 4), message(10, 1)] },
      { s1: [10] },
    ],
  ])("shows %s", (_, found, expected) => {
    expect(shown(found)).toEqual(expected);
  });

  it.each<[string, copy: Partial<MessageHit>, Record<string, number[]>]>([
    ["once, as the root's own message", {}, { s1: [10, 11] }],
    ["twice when the same id has another text", { text: "another" }, { s1: [20, 10, 11] }],
    ["once when the same text has another id", { id: "7" }, { s1: [10, 11] }],
  ])("shows a message that a session repeats from its root: %s", (_, fields, expected) => {
    const copy = { ...message(20, 3), text: "pick 10", ...fields };

    expect(shown({ messages: [copy, message(10, 2), message(11, 1)] })).toEqual(expected);
  });

  it("gives a message the best rank and similarity of its copies", () => {
    const copy = { ...hit(20), text: "pick 10", similarity: 0.9 };
    const vectors = [copy, { ...hit(11), similarity: 0.8 }];
    const found = { ...nothing, vectors, messages: [message(11, 3), message(10, 2)] };

    expect(candidatesOf(found, rootOf).get("s1")).toMatchObject([
      { row: 11n },
      { row: 10n, rank: 0.75, similarity: 0.9, isNearest: true },
    ]);
  });

  it("marks the nearest message of each root", () => {
    const vectors = [10, 11, 40].map((row) => ({ ...hit(row), similarity: 1 - row / 100 }));
    const found = { ...nothing, vectors };
    const all = candidatesOf(found, rootOf);

    expect([...all.values()].flat().map(({ row, isNearest }) => [Number(row), isNearest])).toEqual([
      [10, true],
      [11, undefined],
      [40, true],
    ]);
  });
});

describe("guessesOf", () => {
  it("guesses the messages of a root's best window if the root has no other hits", () => {
    const windows = [window(1, 5, [1]), window(9, 4, [1]), window(3, 3, [2, 4]), window(3, 2, [7])];
    const found = { ...nothing, windows, messages: [message(20, 1)] };

    expect([...guessesOf(found, rootOf)]).toEqual([
      [
        "s3",
        [
          { sessionId: "s3", id: "2" },
          { sessionId: "s3", id: "4" },
        ],
      ],
    ]);
  });
});

describe("titledSessionsOf", () => {
  it("names the session with a matching title if its root has no other hits", () => {
    const windows = [window(2, 6, []), window(3, 5, []), window(3, 4, [2]), window(4, 3, [])];
    const found = { ...nothing, windows, messages: [message(40, 1)] };

    expect([...titledSessionsOf(found, rootOf)]).toEqual([["s1", "s2"]]);
    expect([...guessesOf(found, rootOf)]).toEqual([["s3", [{ sessionId: "s3", id: "2" }]]]);
  });
});
