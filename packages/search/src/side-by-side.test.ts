import { afterEach, expect, it } from "vitest";
import { messageArm, windowArm } from "./full-text.ts";
import { parseQuery } from "./query.ts";
import { search } from "./search.ts";
import { storeOf, type TestStore } from "./testing.ts";

let store: TestStore | undefined;

afterEach(() => {
  store?.remove();
  store = undefined;
});

/** The sessions of two texts, best first: of equal ones the second is newer and comes first. */
async function idsOf(query: string, near: string, apart: string): Promise<string[]> {
  store = await storeOf([
    { id: "near", day: "2026-01-01", texts: [near] },
    { id: "apart", day: "2026-02-01", texts: [apart] },
    { id: "other", day: "2026-03-01", texts: ["nothing of this"] },
  ]);
  const { sessions } = await search(store.sessions, { query });
  return sessions.map(({ session_id: id }) => id);
}

it.each([
  [
    "in the same word forms",
    "Which green lantern?",
    "a green lantern hung there",
    "there hung a lantern green",
  ],
  ["in other word forms", "painted sunrises", "painting sunrise daily", "sunrise daily painting"],
])(
  "ranks first the text whose words stand side by side as in the query: %s",
  async (_, query, near, apart) => {
    expect(await idsOf(query, near, apart)).toEqual(["near", "apart"]);
  },
);

it("does not rank a text higher for words side by side in another order", async () => {
  const ids = await idsOf("green lantern", "hung a lantern green", "green hung a lantern");

  expect(ids).toEqual(["apart", "near"]);
});

const apart = "there hung a lantern green";

it("ranks a message with all words side by side twice as high", async () => {
  store = await storeOf([
    { id: "near", texts: ["there hung a green lantern"] },
    { id: "apart", texts: [apart] },
    { id: "other", texts: ["nothing of this"] },
  ]);

  const { hits } = await messageArm(store.sessions, parseQuery("green lantern"), undefined);

  const [near, far] = ["near", "apart"].map((id) => hits.find((hit) => hit.sessionId === id));
  expect(near?.score).toBeCloseTo(far?.score ?? 0);
  expect(near?.rank).toBeCloseTo(2 * (far?.rank ?? 0));
});

it("orders windows by words side by side too, not by BM25 alone", async () => {
  store = await storeOf([
    // The longer text scores less.
    { id: "near", texts: ["there hung a green lantern beside the old door of that quiet house"] },
    { id: "apart", texts: [apart] },
    { id: "other", texts: ["nothing of this"] },
  ]);

  const { hits } = await windowArm(store.sessions, parseQuery("green lantern"), undefined);

  expect(hits.map(({ sessionId }) => sessionId)).toEqual(["near", "apart"]);
  expect(hits.map(({ score }) => score)).toEqual(
    hits.map(({ score }) => score).toSorted((left, right) => right - left),
  );
});

it("gives even the last message of a list a vote", async () => {
  store = await storeOf([
    { id: "whole", texts: ["there hung a green lantern"] },
    { id: "half", texts: ["green leaves"] },
    { id: "other", texts: ["nothing of this"] },
  ]);

  const { explanation } = await search(store.sessions, { query: "green lantern", explain: true });

  const votes = explanation?.arms.find(({ name }) => name === "message")?.sessions;
  expect(votes?.["whole"]).toBe(1);
  expect(votes?.["half"]).toBeGreaterThan(0.05);
});
