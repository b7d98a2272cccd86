import type { Table as LanceTable, Query, VectorQuery } from "@lancedb/lancedb";
import type { Row, TableDeclaration } from "../declaration.ts";
import { toRowsInPieces } from "../rows/to-rows.ts";
import type { Filter } from "./filter.ts";
import { type FullTextQuery, toLanceQuery } from "./full-text.ts";
import { toSql } from "./sql.ts";
import { batchesOf, toSelection } from "./with-nulls.ts";

/** A column to sort by. Default: `asc`. */
export type OrderBy = { readonly column: string; readonly direction?: "asc" | "desc" };

/** Which rows to read, and which of their columns. */
export type ScanOptions = {
  readonly columns: readonly string[];
  readonly where?: Filter | undefined;
  /** Sorted columns are returned with the rows. Nulls come last. */
  readonly orderBy?: readonly OrderBy[];
  readonly limit?: number | undefined;
  /**
   * How many rows the engine reads at once when it reads rows as it finds them, for a caller who
   * may stop before the last. Default: as many as are fastest, whatever their size.
   */
  readonly rowsAtOnce?: number | undefined;
};

/** A search by words, filtered before it ranks (`search-prefilter-pushdown`). */
export type FullTextOptions = {
  readonly column: string;
  readonly query: FullTextQuery;
  readonly where?: Filter | undefined;
  readonly columns: readonly string[];
  readonly limit: number;
};

/** A search by vector, filtered before it ranks (`search-prefilter-pushdown`). */
export type NearestOptions = {
  readonly column: string;
  readonly vector: Float32Array;
  readonly where?: Filter | undefined;
  readonly columns: readonly string[];
  readonly limit: number;
};

/** How many times as many candidates as are wanted are measured exactly; each costs a read. */
const refineFactor = 2;
// How many partitions of 4096 vectors are searched. Of 300,000 vectors, 20 partitions, the engine's
// default, find 98.7 % of the nearest ten, and 40 find 99.7 % as fast.
const minProbes = 40;
// If a condition leaves few vectors in those, all other partitions are searched until there are
// enough.
const noLimit = 0;

// Every scan and search is built in this file (`lance-chokepoints-read`). LanceDB's `where` is a
// prefilter on all of them, which is what `search-prefilter-pushdown` asks for.

// The engine takes larger numbers modulo this plus one.
const maxRows = 2 ** 32 - 1;

/**
 * How many rows the engine is asked for.
 *
 * @throws {TypeError} for a limit that is not a number of rows.
 */
function rowLimit(limit: number): number {
  if (limit !== Number.POSITIVE_INFINITY && !(Number.isInteger(limit) && limit >= 0)) {
    throw new TypeError(`${limit} is not a number of rows`);
  }
  return Math.min(limit, maxRows);
}

export function scanQuery(
  table: TableDeclaration,
  handle: LanceTable,
  options: ScanOptions,
  withNulls: readonly string[] = [],
): Query {
  const order = options.orderBy ?? [];
  // A column has to be selected to be ordered by.
  const columns = [...new Set([...options.columns, ...order.map(({ column }) => column)])];
  let query = handle.query().select(toSelection(table, columns, withNulls));
  if (options.where) query = query.where(toSql(options.where, table));
  if (order.length > 0) {
    query = query.orderBy(
      order.map(({ column, direction = "asc" }) => ({
        columnName: column,
        ascending: direction === "asc",
        nullsFirst: false,
      })),
    );
  }
  const { limit = Number.POSITIVE_INFINITY } = options;
  return rowLimit(limit) < limit ? query : query.limit(limit);
}

export function fullTextQuery(
  table: TableDeclaration,
  handle: LanceTable,
  options: FullTextOptions,
  withNulls: readonly string[] = [],
): Query {
  const query = handle
    .query()
    .fullTextSearch(toLanceQuery(options.column, options.query), { columns: [options.column] })
    // If it is left out, `_score` comes all the same, with a warning on stderr.
    .select(toSelection(table, [...options.columns, "_score"], withNulls));
  const within = options.where ? query.where(toSql(options.where, table)) : query;
  return within.limit(rowLimit(options.limit));
}

export function nearestQuery(
  table: TableDeclaration,
  handle: LanceTable,
  options: NearestOptions,
  withNulls: readonly string[] = [],
): VectorQuery {
  const query = handle
    .query()
    .nearestTo(options.vector)
    .column(options.column)
    // Unless it is named, a flat scan would measure another distance than the index.
    .distanceType("cosine")
    .maximumNprobes(noLimit)
    .minimumNprobes(minProbes)
    .refineFactor(refineFactor)
    .select(toSelection(table, [...options.columns, "_distance"], withNulls));
  const within = options.where ? query.where(toSql(options.where, table)) : query;
  return within.limit(rowLimit(options.limit));
}

/** The rows of a query, a batch or a piece of one at a time; see {@link toRowsInPieces}. */
export async function* rowsOf(
  table: TableDeclaration,
  query: Query | VectorQuery,
  absent: readonly string[] = [],
  withNulls: readonly string[] = [],
  rowsAtOnce?: number,
): AsyncGenerator<Row[]> {
  const batches = batchesOf(query, withNulls, rowsAtOnce);
  for await (const batch of batches) yield* toRowsInPieces(table, batch, absent);
}
