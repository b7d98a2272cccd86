import {
  type Filter,
  type FullTextOptions,
  oneOf,
  type Row,
  rowId,
  type Table,
} from "@pond/substrate";
import { rowOf } from "./message.ts";

/** What is asked of an index. */
export type Asked = {
  readonly where: Filter | undefined;
  readonly limit: number;
  /** With {@link rowId} among them. */
  readonly columns: readonly string[];
};

/** An index that ranks rows. */
export type RankedIndex = {
  /** Asks it; the best rows come first. */
  readonly ask: (asked: Asked) => Promise<Row[]>;
  /** Whose rows it ranks. */
  readonly table: Pick<Table, "rows">;
};

/** Ranks the rows of a table by BM25. */
export function byBm25(
  table: Table,
  search: Pick<FullTextOptions, "column" | "query">,
): RankedIndex {
  return { table, ask: (asked) => table.fullText({ ...search, ...asked }) };
}

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
export async function bestRows(index: RankedIndex, asked: Asked): Promise<readonly Row[]> {
  const { where, limit, columns } = asked;
  const found = await index.ask({ ...asked, limit: limit + seenBeyond });
  const rows = found.toSorted(byScore);
  const [last, end] = [rows[limit - 1], rows[limit + seenBeyond - 1]];
  const isTied = (row: Row): boolean => last !== undefined && scoreOf(row) === scoreOf(last);
  if (end === undefined || !isTied(end)) return rows.slice(0, limit);
  const better = rows.filter((row) => !isTied(row));
  const all = await index.ask({ where, limit: limit + tiedDepth, columns: ["timestamp", rowId] });
  const newest = all
    .filter(isTied)
    .toSorted(newerFirst)
    .slice(0, limit - better.length);
  // What is stored meanwhile may change all scores.
  if (better.length + newest.length < limit) return rows.slice(0, limit);
  const read = new Map(rows.map((row) => [rowOf(row), row]));
  const unread = newest.map(rowOf).filter((id) => !read.has(id));
  // Not of the index: to be ranked by it again takes twice as long, and what is not indexed yet it
  // scores by the rows that it is asked for.
  const others = await index.table.rows({ where: oneOf(rowId, unread), columns });
  for (const row of others) read.set(rowOf(row), row);
  const tied = newest.flatMap((row) => {
    const whole = read.get(rowOf(row));
    return whole === undefined ? [] : [{ ...whole, ...row }];
  });
  return [...better, ...tied.toSorted(byScore)];
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
