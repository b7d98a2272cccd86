import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SearchRequest, SessionMatches } from "./request.ts";
import { search } from "./search.ts";
import { addChats, type Chat, embedAll, fakeEmbedder, storeOf, type TestStore } from "./testing.ts";

const embedder = fakeEmbedder();
const many = Array.from({ length: 130 }, (_, at): Chat => {
  const day = `2026-0${1 + (at % 9)}-${10 + (at % 19)}`;
  const texts = [
    `mango ${"very ".repeat(at % 7)}ripe`,
    `see fruit_basket number ${at}`,
    "->mango<-",
  ];
  return { id: `s${at}`, day, project: at % 2 === 0 ? "/even" : "/odd", texts };
});
const chats: readonly Chat[] = [
  ...many,
  // More matches than any arm reads at once, in one session and below another.
  { id: "huge", texts: Array.from({ length: 300 }, (_, at) => `mango fruit_basket ${at}`) },
  ...Array.from({ length: 80 }, (_, at): Chat => {
    return { id: `sub${at}`, parent: "s0", texts: ["mango mango", "fruit_basket ->mango<-"] };
  }),
];

let store: TestStore;
beforeAll(async () => {
  store = await storeOf(chats);
  await embedAll(store.sessions, embedder);
});
afterAll(() => store.remove());

/** Every page of a search, one after another. */
async function pagesOf(
  request: SearchRequest,
  own = store,
  options: Parameters<typeof search>[2] = {},
): Promise<(readonly SessionMatches[])[]> {
  const pages: (readonly SessionMatches[])[] = [];
  for (let { after } = request; pages.length < 300; ) {
    const { sessions, next } = await search(own.sessions, { ...request, after }, options);
    pages.push(sessions);
    if (next === undefined) return pages;
    after = next;
  }
  throw new Error("no end");
}

const rootsOf = (pages: readonly (readonly SessionMatches[])[]): string[] =>
  pages.flat().map(({ root_session_id }) => root_session_id);

describe("paging", () => {
  it.each<[string, SearchRequest, number]>([
    ["words", { query: "mango ripe" }, 131],
    ["an identifier", { query: "fruit_basket" }, 131],
    ["words between signs", { query: "->mango<-" }, 131],
    ["signs alone", { query: "<-" }, 130],
    ["part of an identifier", { query: "ruit_bask" }, 131],
    ["required words", { query: "mango +ripe" }, 130],
    ["excluded words", { query: "mango -ripe" }, 131],
    ["a role", { query: "mango", role: "user" }, 131],
    ["a project", { query: "mango", project: "/odd" }, 65],
    ["a minimum score", { query: "mango ripe", min_score: 0.001 }, 131],
  ])(
    "shows every session once in a search by %s, whatever the page size",
    async (_, request, count) => {
      const whole = await pagesOf({ ...request, limit: 100 });
      const small = await pagesOf({ ...request, limit: 20 });

      expect(new Set(rootsOf(whole)).size).toBe(count);
      expect(rootsOf(whole)).toHaveLength(count);
      expect(rootsOf(small)).toEqual(rootsOf(whole));
      expect(small.slice(0, -1).every((page) => page.length === 20)).toBe(true);
      const scores = small.flat().map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((left, right) => right - left));
    },
  );

  it("shows every session once in a search by meaning and words", async () => {
    const found = rootsOf(await pagesOf({ query: "mango ripe", limit: 50 }, store, { embedder }));

    expect(found).toHaveLength(131);
    expect(new Set(found).size).toBe(131);
  });

  it("neither repeats nor loses a session if others are stored between pages", async () => {
    const own = await storeOf(many.slice(0, 30));
    const first = await search(own.sessions, { query: "mango", limit: 10 });
    await addChats(own.sessions, [{ id: "late", texts: ["mango mango mango"] }]);
    const rest = await pagesOf({ query: "mango", limit: 10, after: first.next }, own);
    own.remove();

    const found = rootsOf([first.sessions, ...rest]).filter((id) => id !== "late");
    expect(found.toSorted()).toEqual(
      many
        .slice(0, 30)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  it("does not repeat a session that turns out to be below another", async () => {
    const apart: Chat = { id: "apart", texts: ["mango mango"] };
    const own = await storeOf([apart, { id: "above", texts: ["a mango and much more"] }]);
    const first = await search(own.sessions, { query: "mango", limit: 1 });
    await addChats(own.sessions, [{ ...apart, parent: "above" }]);
    const rest = await pagesOf({ query: "mango", limit: 1, after: first.next }, own);
    own.remove();

    expect(rootsOf([first.sessions, ...rest])).toEqual(["apart", "above"]);
    expect(rest[0]?.[0]?.matches.map(({ session_id }) => session_id)).toEqual(["above"]);
  });

  it("counts the sub-agents of a root and those with matches", async () => {
    const { sessions } = await search(store.sessions, { query: "mango", session: "sub3" });

    expect(sessions).toMatchObject([
      {
        root_session_id: "s0",
        sub_agents: { sessions: 80, found_in: 1 },
        matches: [{ session_id: "sub3", parent_session_id: "s0" }, { session_id: "sub3" }],
      },
    ]);
  });

  it("gives a match the same score whichever arm found it", async () => {
    const query = '"fruit_basket number" mango ripe';
    const pages = await pagesOf({ query, limit: 40 }, store, { embedder });
    const shown = pages.flat().flatMap(({ matches }) => matches);
    const alone = await Promise.all(
      ["s7", "s90", "huge"].map((session) => search(store.sessions, { query, session })),
    );

    for (const { message_id, score } of alone.flatMap((each) => each.sessions[0]?.matches ?? [])) {
      const same = shown.filter((each) => each.message_id === message_id);
      expect(same.map((each) => each.score)).toEqual(same.map(() => score));
      expect(score).toBeGreaterThan(0);
    }
    expect(new Set(shown.map(({ score }) => score > 0))).toEqual(new Set([true]));
  });

  it("explains a page that was read in several rounds", async () => {
    const { sessions, explanation } = await search(store.sessions, {
      ...{ query: "mango ripe", limit: 100, explain: true },
    });

    for (const { root_session_id, score } of sessions) {
      const parts = explanation?.arms.map((arm) => arm.contributions[root_session_id] ?? 0) ?? [];
      expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(score, 3);
    }
  });
});
