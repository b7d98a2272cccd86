import { describe, expect, it } from "vitest";
import { toScope } from "./filter.ts";
import { parseQuery } from "./query.ts";
import type { SearchRequest } from "./request.ts";
import { segments } from "./segments.ts";
import { loadSessionCache } from "./session-cache.ts";
import { type Chat, storeOf } from "./testing.ts";

it.each([
  ["a root", [{ id: "root", texts: ["begin"] }]],
  ["a root that is not stored", []],
])("does not read sessions below %s again once it is ranked", async (_, stored: Chat[]) => {
  const below = Array.from({ length: 200 }, (_, at): Chat => {
    return { id: `below${at}`, parent: at % 2 === 0 ? "root" : "below0", texts: ["mango mango"] };
  });
  const others = Array.from({ length: 30 }, (_, at): Chat => {
    return { id: `other${at}`, texts: ["a mango among many other things"] };
  });
  const own = await storeOf([...stored, ...below, ...others]);
  const query = parseQuery("mango");
  const ranked: string[][] = [];
  const found: string[] = [];
  const scope = toScope({ query: "mango" });
  const vectorResult = Promise.resolve({ hits: [] });
  const cache = loadSessionCache(own.sessions);
  const options = { minScore: 0, shown: new Set<number>(), vectorResult, cache };
  for await (const segment of segments(own.sessions, query, scope, options)) {
    ranked.push(segment.ranked.map(({ rootId }) => rootId));
    found.push(...[...segment.foundIn.values()].flat());
  }
  own.remove();

  expect(new Set(found).size).toBe(found.length);
  expect(ranked[0]).toEqual(["root"]);
  expect(ranked.flat()).toHaveLength(31);
  expect(new Set(ranked.flat()).size).toBe(31);
});

describe("when the query is a single literal", () => {
  const apart = Array.from({ length: 20 }, (_, at): Chat => {
    return { id: `apart${at}`, texts: [`the basket of a fruit, ${at}`] };
  });
  const holders = (count: number): Chat[] =>
    Array.from({ length: count }, (_, at): Chat => {
      return { id: `whole${at}`, texts: [`see fruit_basket ${"and more ".repeat(at)}`] };
    });

  /** How many sessions each segment ranks, and how many hits each arm had in it. */
  async function ranked(
    chats: readonly Chat[],
    query: string,
    { min_score: minScore = 0, ...more }: Partial<SearchRequest> = {},
  ) {
    const own = await storeOf(chats);
    const read: { roots: string[]; hits: Record<string, number> }[] = [];
    const all = segments(own.sessions, parseQuery(query), toScope({ query, ...more }), {
      ...{
        minScore,
        shown: new Set<number>(),
        vectorResult: Promise.resolve({ hits: [] }),
        cache: loadSessionCache(own.sessions),
      },
    });
    for await (const { ranked: roots, arms } of all) {
      const hits = Object.fromEntries(arms.map((arm) => [arm.name, arm.hits.length]));
      read.push({ roots: roots.map(({ rootId }) => rootId), hits });
    }
    own.remove();
    return read;
  }

  it("ranks the messages that hold it first if they fill a page, and then those with its words", async () => {
    const [first, ...rest] = await ranked([...apart, ...holders(15)], "fruit_basket");

    expect(first?.hits).toEqual({ message: 15, window: 0, literal: 15, vector: 0 });
    // By BM25: the shorter before the longer.
    expect(first?.roots).toEqual(holders(15).map(({ id }) => id));
    expect(rest.flatMap(({ roots }) => roots).toSorted()).toEqual(
      apart.map(({ id }) => id).toSorted(),
    );
  });

  it("does not ask for windows first if any message holds the literal", async () => {
    const [first] = await ranked([...apart, ...holders(3)], "fruit_basket");

    expect(first?.hits).toEqual({ message: 23, window: 0, literal: 3, vector: 0 });
    expect(first?.roots.slice(0, 3)).toEqual(holders(3).map(({ id }) => id));
    expect(first?.roots).toHaveLength(23);
  });

  it("asks for windows at the end, because they hold the newest words of revised messages", async () => {
    const [first, second] = await ranked(
      [
        ...holders(2),
        { id: "revised", texts: ["nothing of it"] },
        { id: "revised", texts: ["a fruit_basket by now"] },
      ],
      "fruit_basket",
    );

    expect(first?.roots).toEqual(["whole0", "whole1"]);
    expect(second).toMatchObject({ roots: ["revised"], hits: { message: 0, window: 1 } });
  });

  it("asks for windows at once if no message holds the literal", async () => {
    const [first] = await ranked(apart, "fruit_basket");

    expect(first?.hits).toMatchObject({ message: 20, window: 20, literal: 0 });
  });

  it("does not ask for windows just to add their votes", async () => {
    const read = await ranked(apart, "fruit_basket", { role: "user" });

    expect(read.map(({ hits }) => hits)).toEqual([
      { message: 20, window: 0, literal: 0, vector: 0 },
    ]);
  });

  it("does not miss words that reach the minimum score if the literal's messages do not", async () => {
    const long = (id: string): Chat => ({ id, texts: [`fruit_basket ${"and more ".repeat(400)}`] });
    const often = { id: "often", texts: ["fruit of basket or fruit by basket"] };
    const many = Array.from({ length: 45 }, (_, at) => long(`long${at}`));
    const read = await ranked([...many, often], "fruit_basket", { min_score: 0.03 });

    expect(read[0]?.roots).toEqual(["often"]);
  });
});
