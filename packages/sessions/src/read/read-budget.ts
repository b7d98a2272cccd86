import type { Row, ScanOptions, Table } from "@pond/substrate";

/** What was to be read together is more than was thought. */
export class OverBudgetError extends Error {
  override readonly name = "OverBudgetError";
}

/** Up to when this many bytes were read, what is read of several sessions is read together. */
export class ReadBudget {
  readonly #bytes: number;
  #spent = 0;

  constructor(bytes: number = Number.POSITIVE_INFINITY) {
    this.#bytes = bytes;
  }

  /** About how many bytes were read. */
  get spent(): number {
    return this.#spent;
  }

  get isBounded(): boolean {
    return this.#bytes < Number.POSITIVE_INFINITY;
  }

  /** @throws {OverBudgetError} */
  spend(rows: readonly Row[]): void {
    for (const row of rows) {
      for (const cell of Object.values(row)) {
        if (typeof cell === "string" || cell instanceof Uint8Array) this.#spent += cell.length;
      }
    }
    if (this.#spent > this.#bytes) throw new OverBudgetError();
  }
}

// Of rows of 3 MB these take 330 MB before the first is counted. As many as the engine likes are a
// third faster where they are small, and then all of them take some milliseconds.
const rowsAtOnce = 64;

/** Rows that are read within a budget. @throws {OverBudgetError} before all of them are. */
export async function rowsWithin(
  table: Table,
  options: ScanOptions,
  budget: ReadBudget,
): Promise<Row[]> {
  if (!budget.isBounded) {
    const all = await table.rows(options);
    budget.spend(all);
    return all;
  }
  const found: Row[] = [];
  for await (const rows of table.scan({ ...options, rowsAtOnce })) {
    budget.spend(rows);
    found.push(...rows);
  }
  return found;
}
