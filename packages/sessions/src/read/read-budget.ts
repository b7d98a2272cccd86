import type { Row, ScanOptions, Table } from "@pond/substrate";

/** What was to be read together is more than expected. */
export class OverBudgetError extends Error {
  override readonly name = "OverBudgetError";
}

// All rows that are read at once take memory before the first of them is counted. Few at once take
// longer: 32 take twice as long as 1,024 if they are small, 256 a tenth longer.
const longRowBytes = 64 * 1024;
const mostRowsAtOnce = 256;

/** Limits how much is read of several sessions together, in bytes. */
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

  get left(): number {
    return this.#bytes - this.#spent;
  }

  /** Undefined if there is no limit: then as many as are fastest. */
  get rowsAtOnce(): number | undefined {
    if (this.#bytes === Number.POSITIVE_INFINITY) return undefined;
    const rows = Math.floor(this.#bytes / longRowBytes);
    return Math.max(1, Math.min(mostRowsAtOnce, rows));
  }

  /** @throws {OverBudgetError} */
  spend(rows: readonly Row[]): void {
    for (const row of rows) {
      for (const cell of Object.values(row)) {
        if (typeof cell === "string" || cell instanceof Uint8Array) this.#spent += cell.length;
      }
    }
    this.spendBytes(0);
  }

  /** @throws {OverBudgetError} */
  spendBytes(bytes: number): void {
    this.#spent += bytes;
    if (this.#spent > this.#bytes) throw new OverBudgetError();
  }
}

/** Reads rows within a budget. @throws {OverBudgetError} before all of them are read. */
export async function rowsWithin(
  table: Table,
  options: ScanOptions,
  budget: ReadBudget,
): Promise<Row[]> {
  const { rowsAtOnce } = budget;
  if (rowsAtOnce === undefined) {
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
