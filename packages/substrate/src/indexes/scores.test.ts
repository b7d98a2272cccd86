import { expect, it } from "vitest";
import { eq } from "../read/filter.ts";
import type { Table } from "../table.ts";
import { numbered } from "../testing/catalogue.ts";
import { openCatalogue } from "../testing/store.ts";

/** Of the part that alone is called so: among all, and among those of its maker. */
async function scoresOf(table: Table, maker: string, number: string): Promise<number[]> {
  const search = { column: "description", query: { terms: number }, columns: ["maker"], limit: 1 };
  const found = [
    await table.fullText(search),
    await table.fullText({ ...search, where: eq("maker", maker) }),
  ];
  return found.map(([row]) => Number(row?.["_score"]));
}

/** As many parts, each called by a word of its own. */
function called(count: number, maker: string): ReturnType<typeof numbered> {
  const description = Array.from({ length: count }, (_, at) => `the part ${maker}${at}`);
  return { ...numbered(count, maker), description };
}

it.each([2, 20, 999])(
  "a score is the same with and without a condition in a folded table of %d rows",
  async (count) => {
    const table = (await openCatalogue()).table("parts");
    await table.insert(called(1, "acme"));
    await table.insert(called(count - 1, "globex"));
    const [before = 0, beforeWithin] = await scoresOf(table, "acme", "acme0");

    await table.fold();

    const [all, within] = await scoresOf(table, "acme", "acme0");
    expect(beforeWithin).toBeLessThan(before);
    expect([all, within]).toEqual([all, all]);
  },
);

it("a condition changes the scores of new rows slightly, and not at all once a tenth is new", async () => {
  const table = (await openCatalogue()).table("parts");
  await table.insert(called(200, "acme"));
  await table.fold();
  const differences: number[] = [];
  for (const maker of ["globex", "initech"]) {
    await table.insert(called(1, maker));
    await table.insert(called(15, `of${maker}`));
    await table.fold();
    const [all = 0, within = 0] = await scoresOf(table, maker, `${maker}0`);
    differences.push(all - within);
  }

  const [since = 0, covered] = differences;
  expect(since).toBeGreaterThan(0);
  expect(since).toBeLessThan(Math.log(1.1));
  expect(covered).toBe(0);
});

it.each([
  ["no text", null],
  ["an empty text", ""],
])("a second fold rebuilds no index for rows with %s", async (_, text) => {
  const table = (await openCatalogue()).table("parts");
  await table.insert({ ...numbered(20), description: Array(20).fill(text) });
  await table.fold();
  const version = await table.version();

  const again = await table.fold();

  expect(again).toEqual({ table: "parts", created: [], isFolded: false });
  expect(await table.version()).toBe(version);
});
