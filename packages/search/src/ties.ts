import { and, type Filter, oneOf, type Row, rowId } from "@pond/substrate";
import { rowOf } from "./message.ts";

/** What is asked of an index. */
export type Asked = {
  readonly where: Filter | undefined;
  readonly limit: number;
  /** With {@link rowId} among them. */
  readonly columns: readonly string[];
};

/** Asks an index; the best rows come first. */
export type AskIndex = (asked: Asked) => Promise<Row[]>;

// Few are equal, mostly: to see where they end costs little, and to ask again as much as the list.
const seenBeyond = 4;
// Of more that are equal none says more than another, and to read when each was said takes longer
// than the search.
const tiedDepth = 300;

/**
 * The best rows. Where the list would end among equal ones, the index takes any: here those stored
 * first are taken, as what is equal may be an original and its copies, and of many the newest. So an
 * answer is the same whatever the engine's threads do, but where still more are equal.
 */
export async function bestRows(ask: AskIndex, asked: Asked): Promise<readonly Row[]> {
  const { where, limit } = asked;
  const found = await ask({ ...asked, limit: limit + seenBeyond });
  const rows = found.toSorted(byScore);
  const [last, end] = [rows[limit - 1], rows[limit + seenBeyond - 1]];
  const isTied = (row: Row): boolean => last !== undefined && scoreOf(row) === scoreOf(last);
  if (end === undefined || !isTied(end)) return rows.slice(0, limit);
  const better = rows.filter((row) => !isTied(row));
  const all = await ask({ where, limit: limit + tiedDepth, columns: ["timestamp", rowId] });
  const newest = all
    .filter(isTied)
    .toSorted(newerFirst)
    .slice(0, limit - better.length);
  // What is stored meanwhile may change all scores.
  if (better.length + newest.length < limit) return rows.slice(0, limit);
  const isNewest = oneOf(rowId, newest.map(rowOf));
  const within = where ? and(where, isNewest) : isNewest;
  const read = await ask({ ...asked, where: within, limit: newest.length });
  // What is not indexed yet the engine scores by the rows it is asked for, and here they are few.
  const asScored = new Map(newest.map((row) => [rowOf(row), row]));
  const rescored = read.map((row) => ({ ...row, ...asScored.get(rowOf(row)) }));
  return [...better, ...rescored.toSorted(byScore)];
}

/** BM25, or how near. */
function scoreOf(row: Row): number {
  return Number(row["_score"] ?? -Number(row["_distance"]));
}

function byScore(left: Row, right: Row): number {
  return scoreOf(right) - scoreOf(left) || Number(rowOf(left) - rowOf(right));
}

function newerFirst(left: Row, right: Row): number {
  const [one, other] = [left, right].map(({ timestamp }) => BigInt(timestamp as bigint));
  return Number((other ?? 0n) - (one ?? 0n)) || Number(rowOf(left) - rowOf(right));
}
