import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SearchRequest } from "./request.ts";
import { search } from "./search.ts";
import { addChats, storeOf, type TestStore } from "./testing.ts";

let store: TestStore;

const longer = "which is why I think that it was renamed in the last release, as they said to us";
const filler = "nothing else was asked for, and so the rest of the day went by with other matters";
// More than the message arm looks at, and each says it more shortly than the second of `one`.
const others = Array.from({ length: 70 }, (_, at) => ({
  id: `other${at}`,
  day: "2025-01-01",
  texts: ["zorblax plugin crash", `${filler} ${filler} ${filler}`],
}));

beforeAll(async () => {
  store = await storeOf([
    ...others,
    {
      id: "one",
      day: "2025-02-01",
      texts: [
        "zorblax plugin crash, zorblax plugin crash, zorblax plugin crash",
        `The zorblax plugin does crash, ${longer}`,
        `${filler} ${longer} ${filler}: a crash`,
      ],
    },
  ]);
});

afterAll(() => store.remove());

/** Messages shown of the session that is found first. */
async function shownFirst(request: Omit<SearchRequest, "query"> = {}): Promise<string[]> {
  const { sessions } = await search(store.sessions, { query: "zorblax plugin crash", ...request });
  expect(sessions[0]?.session_id).toBe("one");
  return sessions[0]?.matches.map(({ message_id: id }) => id) ?? [];
}

describe("messages that are not among the best of the whole store", () => {
  it("are shown for a session on the page, unless they hold far less", async () => {
    expect(await shownFirst()).toEqual(["one-0", "one-1"]);
  });

  it("are shown on a page of one session too", async () => {
    expect(await shownFirst({ limit: 1 })).toEqual(["one-0", "one-1"]);
  });

  it("are shown on a page that is larger than the number of sessions found", async () => {
    expect(await shownFirst({ limit: 100 })).toEqual(["one-0", "one-1"]);
  });

  it("obey the filters of the search", async () => {
    expect(await shownFirst({ role: "user" })).toEqual(["one-0"]);
  });

  it("are left out if they score below the minimum", async () => {
    const { sessions } = await search(store.sessions, { query: "zorblax plugin crash" });
    const [first, second] = sessions[0]?.matches.map(({ score }) => score) ?? [];
    const between = ((first ?? 0) + (second ?? 0)) / 2;

    expect(between).toBeGreaterThan(0);
    expect(await shownFirst({ min_score: between })).toEqual(["one-0"]);
  });
});

it("shows a message revised to hold the words before the messages added for its session", async () => {
  const said = "zorblax plugin crash, zorblax plugin crash, zorblax plugin crash";
  const late = { id: "late", day: "2025-03-01" };
  const other = await storeOf([
    ...others,
    { ...late, texts: ["nothing of it", `${filler} ${longer} ${filler}: a crash`] },
  ]);
  await addChats(other.sessions, [
    { ...late, texts: [said, `${filler} ${longer} ${filler}: a crash`] },
  ]);

  const { sessions } = await search(other.sessions, { query: "zorblax plugin crash", limit: 10 });
  other.remove();

  const found = sessions.find(({ session_id: id }) => id === "late");
  expect(found?.matches.map(({ message_id: id }) => id)).toEqual(["late-0", "late-1"]);
});

it("does not hide a message that holds other forms of the words behind added messages", async () => {
  const wide = `${filler} `.repeat(40);
  const other = await storeOf([
    ...others,
    {
      ...{ id: "forms", day: "2025-03-01" },
      texts: ["zorblaxes crashed plugins. ".repeat(20), wide, wide, `${wide} one plugin`],
    },
  ]);

  const { sessions } = await search(other.sessions, { query: "zorblax plugin crash", limit: 100 });
  other.remove();

  const found = sessions.find(({ session_id: id }) => id === "forms");
  expect(found?.matches.map(({ message_id: id }) => id)).toContain("forms-0");
});
