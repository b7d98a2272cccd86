import { afterEach, expect, it } from "vitest";
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
    "in a message",
    "Which green lantern?",
    "a green lantern hung there",
    "there hung a lantern green",
  ],
  ["in other forms", "painted sunrises", "painting sunrise daily", "sunrise daily painting"],
])(
  "puts words first that stand side by side as in the query: %s",
  async (_, query, near, apart) => {
    expect(await idsOf(query, near, apart)).toEqual(["near", "apart"]);
  },
);

it("leaves words that stand side by side in another order to what is newer", async () => {
  const ids = await idsOf("green lantern", "hung a lantern green", "green hung a lantern");

  expect(ids).toEqual(["apart", "near"]);
});
