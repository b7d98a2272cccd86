import {
  type Filter,
  type FullTextOptions,
  oneOf,
  type Row,
  rowId,
  type Table,
} from "@pond/substrate";
import { rowOf } from "./message.ts";

/** What an index is asked for. */
export type RankedRead = {
  readonly where: Filter | undefined;
  readonly limit: number;
  /** Includes {@link rowId}. */
  readonly columns: readonly string[];
};

/** An index that ranks rows. */
export type RankedIndex = {
  /** Asks the index; the best rows come first. */
  readonly ask: (asked: RankedRead) => Promise<Row[]>;
  /** The table whose rows it ranks. */
  readonly table: Pick<Table, "rows">;
};

/** Ranks the rows of a table by BM25. */
export function byBm25(
  table: Table,
  search: Pick<FullTextOptions, "column" | "query">,
): RankedIndex {
  return { table, ask: (asked) => table.fullText({ ...search, ...asked }) };
}

// Mostly few rows are equal: seeing where they end costs little, and asking again costs as much as
// the list.
const lookaheadRows = 4;
// Among more equal rows none is better than another, and reading when each was said takes longer
// than the search.
const maxTiedRows = 300;

/**
 * The best rows. Where the list would end among equal ones, the index takes any of them. Here the
 * ones stored first are taken, because equal rows may be an original and its copies; if there are
 * many, the newest are. So an answer is the same whatever the engine's threads do, unless still
 * more are equal.
 */
export async function bestRows(index: RankedIndex, asked: RankedRead): Promise<readonly Row[]> {
  const { where, limit, columns } = asked;
  const found = await index.ask({ ...asked, limit: limit + lookaheadRows });
  const rows = found.toSorted(byScore);
  const [last, end] = [rows[limit - 1], rows[limit + lookaheadRows - 1]];
  const isTied = (row: Row): boolean => last !== undefined && scoreOf(row) === scoreOf(last);
  if (end === undefined || !isTied(end)) return rows.slice(0, limit);
  const better = rows.filter((row) => !isTied(row));
  const all = await index.ask({ where, limit: limit + maxTiedRows, columns: ["timestamp", rowId] });
  const newest = all
    .filter(isTied)
    .toSorted(newerFirst)
    .slice(0, limit - better.length);
  // A write in the meantime may change all scores.
  if (better.length + newest.length < limit) return rows.slice(0, limit);
  const read = new Map(rows.map((row) => [rowOf(row), row]));
  const unread = newest.map(rowOf).filter((id) => !read.has(id));
  // Not read through the index: ranking again takes twice as long, and rows that are not indexed
  // yet would be scored by the rows that are asked for.
  const others = await index.table.rows({ where: oneOf(rowId, unread), columns });
  for (const row of others) read.set(rowOf(row), row);
  const tied = newest.flatMap((row) => {
    const whole = read.get(rowOf(row));
    return whole === undefined ? [] : [{ ...whole, ...row }];
  });
  return [...better, ...tied.toSorted(byScore)];
}

/** BM25, or the distance. */
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
