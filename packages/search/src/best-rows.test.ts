import { type Row, rowId, type ScanOptions } from "@pond/substrate";
import { expect, it } from "vitest";
import { bestRows, type RankedIndex, type RankedRead } from "./best-rows.ts";

/** Rows with these scores: the later one is stored the newer it is. */
function indexOf(scores: readonly number[]) {
  const stored = scores.map((score, at) => ({
    ...{ [rowId]: BigInt(at), _score: score, timestamp: BigInt(at) },
  }));
  const asked: number[] = [];
  const ask = async ({ limit }: { limit: number }): Promise<Row[]> => {
    asked.push(limit);
    return stored.toSorted((left, right) => right._score - left._score).slice(0, limit);
  };
  const read: number[] = [];
  const rows = async ({ where }: ScanOptions): Promise<Row[]> => {
    // The filter names rows by their numbers.
    const wanted = JSON.stringify(where, (_, value) =>
      typeof value === "bigint" ? `#${value}` : value,
    );
    const found = stored.filter((row) => wanted.includes(`"#${row[rowId]}"`));
    read.push(...found.map((row) => Number(row[rowId])));
    return found;
  };
  return { ask, asked, table: { rows }, read };
}

it.each<[string, number[], places: number[], asked: number, read: number[]]>([
  ["all rows if there are few", [1, 1, 1], [0, 1, 2], 1, []],
  ["the highest scores", [1, 5, 2, 4, 3, 0], [1, 3, 4, 2], 1, []],
  ["the first stored of a few ties", [9, 8, 7, 1, 1, 1], [0, 1, 2, 3], 1, []],
  ["the newest of many ties", [1, 9, ...Array(20).fill(1)], [1, 19, 20, 21], 2, [19, 20, 21]],
  ["the newest when all are tied", Array(20).fill(1), [16, 17, 18, 19], 2, [16, 17, 18, 19]],
  [
    "the newest, read only if the first answer lacks them",
    Array(10).fill(1),
    [6, 7, 8, 9],
    2,
    [8, 9],
  ],
  [
    "the newest of the first 304 when more are tied",
    Array(400).fill(1),
    [300, 301, 302, 303],
    2,
    [300, 301, 302, 303],
  ],
])("takes as the best rows: %s", async (_, scores, places, times, read) => {
  const index = indexOf(scores);
  const rows = await bestRows(index, { where: undefined, limit: 4, columns: [rowId] });

  expect(rows.map((row) => Number(row[rowId]))).toEqual(places);
  expect(index.asked).toHaveLength(times);
  expect(index.read).toEqual(read);
});

it("leaves out a row that is deleted in the meantime", async () => {
  const index = indexOf(Array(20).fill(1));
  const rows = async (options: ScanOptions): Promise<Row[]> =>
    (await index.table.rows(options)).filter((row) => row[rowId] !== 17n);
  const asked = { where: undefined, limit: 4, columns: [rowId] };
  const best = await bestRows({ ask: index.ask, table: { rows } }, asked);

  expect(best.map((row) => Number(row[rowId]))).toEqual([16, 18, 19]);
});

it("takes the rows found first if a concurrent write changes all scores", async () => {
  const [before, after] = [indexOf(Array(20).fill(2)), indexOf(Array(20).fill(1))];
  let ask: RankedIndex["ask"] = async (asked) => {
    ask = after.ask;
    return before.ask(asked);
  };
  const asked = { where: undefined, limit: 4, columns: [rowId] };
  const index = { ask: (each: RankedRead) => ask(each), table: before.table };
  const rows = await bestRows(index, asked);

  expect(rows.map((row) => Number(row[rowId]))).toEqual([0, 1, 2, 3]);
});
