import { type Rows, rowDifferences, storedRows } from "../e2e/rows.ts";

type Row = Readonly<Record<string, string>>;

// Windows are derived from messages, and are replaced when a session grows.
const originalTables = ["sessions", "messages", "parts"] as const;
// Derived from the rows, and made anew at any time.
const derivedColumns = new Set(["vector", "embedding_model"]);

/**
 * What is wrong with a store that was interrupted on its way from `before` to `truth`: acknowledged
 * rows that are gone, rows that neither holds, duplicate rows, messages without their parts, and
 * sessions without their messages.
 */
export async function interruptedProblems(
  storage: string,
  before: Rows | undefined,
  truth: Rows,
): Promise<string[]> {
  const { rows, duplicates } = await storedRows(storage);
  return [
    ...duplicates.map((row) => `twice: ${row}`),
    ...(before === undefined ? [] : lostRows(before, rows)),
    ...inventedRows(rows, [truth, ...(before === undefined ? [] : [before])]),
    ...incompleteMessages(rows, truth),
  ].slice(0, 20);
}

/** How a store differs from the rows that it has to hold. */
export async function differingRows(storage: string, truth: Rows): Promise<string[]> {
  const { rows, duplicates } = await storedRows(storage);
  return [...duplicates.map((row) => `twice: ${row}`), ...rowDifferences(truth, rows)];
}

/** Rows of `before` that `found` does not hold as they were. */
export function lostRows(before: Rows, found: Rows): string[] {
  return originalTables.flatMap((table) =>
    [...entriesOf(before, table)].flatMap(([key, row]) => {
      const other = found.get(table)?.get(key);
      return other && isEqual(row, other) ? [] : [`lost: ${table} ${key}`];
    }),
  );
}

function inventedRows(found: Rows, known: readonly Rows[]): string[] {
  return originalTables.flatMap((table) =>
    [...entriesOf(found, table)].flatMap(([key, row]) => {
      const isKnown = known.some((rows) => {
        const other = rows.get(table)?.get(key);
        return other !== undefined && isEqual(row, other);
      });
      return isKnown ? [] : [`invented: ${table} ${key}`];
    }),
  );
}

/** If a row can be seen, everything below it has to be there. */
function incompleteMessages(found: Rows, truth: Rows): string[] {
  const problems: string[] = [];
  for (const [key, part] of entriesOf(truth, "parts")) {
    const message = JSON.stringify([part["session_id"], part["message_id"]]);
    if (!found.get("messages")?.has(message) || found.get("parts")?.has(key)) continue;
    problems.push(`message ${message} without its part ${key}`);
  }
  return problems;
}

function entriesOf(rows: Rows, table: string): ReadonlyMap<string, Row> {
  return rows.get(table) ?? new Map<string, Row>();
}

function isEqual(left: Row, right: Row): boolean {
  return Object.keys(left).every((name) => {
    const [own, other] = [left[name], right[name]];
    // Copied rows get their head only when all of them are there.
    const isUnfilled = name === "head" && (own === "null" || other === "null");
    return derivedColumns.has(name) || isUnfilled || own === other;
  });
}
