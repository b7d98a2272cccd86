import type { Statistics } from "@pond/sessions";

/** Something the user should do, and how. */
export type Advice = { readonly code: string; readonly message: string };

// Beyond it, searching what is not indexed yet is what a search waits for.
const waitingRowsToTell = 20_000;

/** What needs doing, judged by the numbers alone. */
export function adviseOn({ sessions, tables }: Statistics): Advice[] {
  if (sessions === 0) {
    return [{ code: "empty", message: "Nothing is stored yet: `pond sync` fetches sessions." }];
  }
  const waiting = Math.max(
    0,
    ...tables.flatMap(({ indexes }) => indexes.map(({ unindexedRows }) => unindexedRows)),
  );
  const hasUnindexedTable = tables.some(({ rows, indexes }) => rows > 0 && indexes.length === 0);
  if (!hasUnindexedTable && waiting < waitingRowsToTell) return [];
  return [
    {
      code: "indexes_behind",
      message: "Search is complete but slow: `pond sync --only update-indexes` speeds it up.",
    },
  ];
}
