import { type Row, rowId } from "@pond/substrate";
import { expect, it } from "vitest";
import { type AskIndex, bestRows } from "./ties.ts";

/** Rows with these scores: the later one is stored the newer it is. */
function indexOf(scores: readonly number[]) {
  const rows = scores.map((score, at) => ({
    ...{ [rowId]: BigInt(at), _score: score, timestamp: BigInt(at) },
  }));
  const asked: number[] = [];
  const ask = async ({ where, limit }: { where: unknown; limit: number }): Promise<Row[]> => {
    asked.push(limit);
    // The filter names rows by their numbers.
    const wanted = JSON.stringify(where, (_, value) =>
      typeof value === "bigint" ? `#${value}` : value,
    );
    return rows
      .filter((row) => wanted === undefined || wanted.includes(`"#${row[rowId]}"`))
      .toSorted((left, right) => right._score - left._score)
      .slice(0, limit);
  };
  return { ask, asked };
}

it.each<[string, number[], places: number[], asked: number]>([
  ["all there are", [1, 1, 1], [0, 1, 2], 1],
  ["the best", [1, 5, 2, 4, 3, 0], [1, 3, 4, 2], 1],
  ["those stored first, where few are equal", [9, 8, 7, 1, 1, 1], [0, 1, 2, 3], 1],
  ["the newest of many equal ones", [1, 9, ...Array(20).fill(1)], [1, 19, 20, 21], 3],
  ["the newest where all are equal", Array(20).fill(1), [16, 17, 18, 19], 3],
  ["the newest of the first of very many", Array(400).fill(1), [300, 301, 302, 303], 3],
])("takes %s", async (_, scores, places, times) => {
  const { ask, asked } = indexOf(scores);
  const rows = await bestRows(ask, { where: undefined, limit: 4, columns: [rowId] });

  expect(rows.map((row) => Number(row[rowId]))).toEqual(places);
  expect(asked).toHaveLength(times);
});

it("takes those found first where a write meanwhile changes the scores of all", async () => {
  const [before, after] = [indexOf(Array(20).fill(2)), indexOf(Array(20).fill(1))];
  let asks: AskIndex = async (asked) => {
    asks = after.ask;
    return before.ask(asked);
  };
  const asked = { where: undefined, limit: 4, columns: [rowId] };
  const rows = await bestRows((each) => asks(each), asked);

  expect(rows.map((row) => Number(row[rowId]))).toEqual([0, 1, 2, 3]);
});
