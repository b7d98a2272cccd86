import { afterAll, expect, it } from "vitest";
import { search } from "./search.ts";
import { storeOf } from "./testing.ts";

const rain = "It rained on and on. ".repeat(40);
const { sessions, remove } = await storeOf([
  { id: "holder", day: "2026-01-01", texts: [`We heard one objection. ${rain}${rain}`] },
  { id: "forms", day: "2026-03-01", texts: ["An object, and other objects.", rain] },
  { id: "more-forms", day: "2026-03-02", texts: ["The object.", rain] },
  { id: "said", day: "2026-03-01", texts: [`It was a merger. ${rain}`] },
  { id: "merged", day: "2026-03-01", texts: ["Merge it.", rain] },
  {
    ...{ id: "titled", day: "2026-02-01", texts: ["Listen.", "I do."] },
    records: [{ type: "custom-title", customTitle: "Merger" }],
  },
]);
afterAll(remove);

async function found(query: string, more: object = {}): Promise<string[]> {
  const answer = await search(sessions, { query, ...more });
  return answer.sessions.map(({ session_id: id }) => id);
}

it("lists what holds a word before other forms of it, which windows do not tell apart", async () => {
  expect(await found("objection")).toEqual(["holder", "forms", "more-forms"]);
});

it("lists the other forms on a later page", async () => {
  const first = await search(sessions, { query: "objection", limit: 1 });

  expect(await found("objection", { after: first.next })).toEqual(["forms", "more-forms"]);
});

it("leaves a session whose title holds the word where it is", async () => {
  expect(await found("merger")).toEqual(["said", "titled", "merged"]);
});

it("finds the forms of a word that nothing holds", async () => {
  const ids = await found("objectify");

  expect(ids.toSorted()).toEqual(["forms", "holder", "more-forms"]);
});

it("explains the scores of the other forms by what adds up to them", async () => {
  const { sessions: listed, explanation } = await search(sessions, {
    query: "objection",
    explain: true,
  });

  for (const { root_session_id: root, score } of listed) {
    const shares = explanation?.arms.map(({ contributions }) => contributions[root] ?? 0);
    expect(shares?.reduce((sum, share) => sum + share, 0)).toBeCloseTo(score, 3);
  }
});
