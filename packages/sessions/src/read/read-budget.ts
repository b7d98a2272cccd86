import type { Row, ScanOptions, Table } from "@pond/substrate";

/** What was to be read together is more than was thought. */
export class OverBudgetError extends Error {
  override readonly name = "OverBudgetError";
}

// Before the first of those that are read at once is counted, all of them take memory. Few at once take
// longer: 32 twice as long as 1,024 where they are small, 256 a tenth longer.
const longRow = 64 * 1024;

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

  /** Undefined where it has no end: then as many as are fastest. */
  get rowsAtOnce(): number | undefined {
    if (this.#bytes === Number.POSITIVE_INFINITY) return undefined;
    return Math.max(1, Math.floor(this.#bytes / longRow));
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

/** Rows that are read within a budget. @throws {OverBudgetError} before all of them are. */
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
