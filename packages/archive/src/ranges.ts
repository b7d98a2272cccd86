import { and, type Filter, gte, lte, type Store } from "@pond/substrate";
import { compareText } from "./key-order.ts";

/** Sessions whose ids follow each other, and about how many rows they have. */
export type Range = {
  readonly sessionIds: ReadonlySet<string>;
  readonly first: string;
  readonly last: string;
  readonly rows: number;
};

/** Tables whose rows belong to a session by `session_id`. */
const belowSessions = ["messages", "parts", "windows"] as const;

// Keys of so many rows are held at a time.
const defaultRowsPerRange = 50_000;

/** The sessions of a store, cut into ranges; one session is never cut. */
export async function rangesOf(
  store: Store,
  rowsPerRange: number = defaultRowsPerRange,
): Promise<Range[]> {
  const rows = new Map<string, number>();
  for await (const batch of store.table("sessions").scan({ columns: ["id"] })) {
    for (const row of batch) rows.set(String(row["id"]), 1);
  }
  for (const table of belowSessions) {
    for await (const batch of store.table(table).scan({ columns: ["session_id"] })) {
      for (const row of batch) {
        const id = String(row["session_id"]);
        const count = rows.get(id);
        // Rows whose session is not there are left of an ingest that broke off, and nobody sees them.
        if (count !== undefined) rows.set(id, count + 1);
      }
    }
  }
  const sessions = [...rows].sort(([left], [right]) => compareText(left, right));
  return cut(sessions, rowsPerRange);
}

function cut(
  sessions: readonly (readonly [id: string, rows: number])[],
  rowsPerRange: number,
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
  for (const [id, count] of sessions) {
    if (rows > 0 && rows + count > rowsPerRange) close();
    ids.push(id);
    rows += count;
  }
  close();
  return ranges;
}

/** Rows whose session is between the first and the last of a range. */
export function within(column: string, { first, last }: Range): Filter {
  return and(gte(column, first), lte(column, last));
}
