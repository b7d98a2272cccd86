import { expect, it } from "vitest";
import { toScope } from "./filter.ts";
import { parseQuery } from "./query.ts";
import { segments } from "./segments.ts";
import { type Chat, storeOf } from "./testing.ts";

it("never asks again for what is below a root that it has ranked", async () => {
  const below = Array.from({ length: 200 }, (_, at): Chat => {
    return { id: `below${at}`, parent: at % 2 === 0 ? "root" : "below0", texts: ["mango mango"] };
  });
  const others = Array.from({ length: 30 }, (_, at): Chat => {
    return { id: `other${at}`, texts: ["a mango among many other things"] };
  });
  const own = await storeOf([{ id: "root", texts: ["begin"] }, ...below, ...others]);
  const query = parseQuery("mango");
  const ranked: string[][] = [];
  const scope = toScope({ query: "mango" });
  const meaning = Promise.resolve({ hits: [] });
  for await (const segment of segments(own.sessions, query, scope, { minScore: 0, meaning })) {
    ranked.push(segment.ranked.map(({ rootId }) => rootId));
  }
  own.remove();

  expect(ranked[0]).toEqual(["root"]);
  expect(ranked.flat()).toHaveLength(31);
  expect(new Set(ranked.flat()).size).toBe(31);
});
