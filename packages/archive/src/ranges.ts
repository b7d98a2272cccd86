import { and, type Filter, gte, lte } from "@pond/substrate";
import { compareText } from "./key-order.ts";
import type { RowLocations } from "./row-locations.ts";

/** Sessions with consecutive ids, and how many rows they have. */
export type Range = {
  readonly sessionIds: ReadonlySet<string>;
  readonly first: string;
  readonly last: string;
  readonly rows: number;
};

// How many keys are held at a time.
const defaultRowsPerRange = 50_000;

/**
 * The sessions of a store, cut into ranges; one session is never cut. Rows without their session
 * are left by an ingest that broke off, and nobody sees them.
 */
export function rangesOf(
  locations: RowLocations,
  rowsPerRange: number = defaultRowsPerRange,
): Range[] {
  const ranges: Range[] = [];
  let ids: string[] = [];
  let rows = 0;
  const close = (): void => {
    const [first, last] = [ids[0], ids.at(-1)];
    if (first === undefined || last === undefined) return;
    ranges.push({ sessionIds: new Set(ids), first, last, rows });
    ids = [];
    rows = 0;
  };
  for (const id of locations.sessionIds().sort(compareText)) {
    const count = locations.rowsOf(id);
    if (rows > 0 && rows + count > rowsPerRange) close();
    ids.push(id);
    rows += count;
  }
  close();
  return ranges;
}

/** The first and the last of some session ids. */
type Bounds = Pick<Range, "first" | "last">;

/** Bounds extended by one id. */
export function extended({ first, last }: Bounds, id: string): Bounds {
  return {
    first: compareText(id, first) < 0 ? id : first,
    last: compareText(id, last) > 0 ? id : last,
  };
}

/** A filter for rows whose session is within bounds. */
export function within(column: string, { first, last }: Bounds): Filter {
  return and(gte(column, first), lte(column, last));
}
