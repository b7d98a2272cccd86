import type { Cell, ColumnBatch } from "@pond/substrate";

/** Rows on their way to a table, kept column by column. */
export class Columns {
  readonly #cells: Record<string, Cell[]> = {};
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Every call names the same columns. */
  push(row: Readonly<Record<string, Cell>>): void {
    for (const column in row) {
      const cells = this.#cells[column];
      if (cells) cells.push(row[column] ?? null);
      else this.#cells[column] = [row[column] ?? null];
    }
    this.#length += 1;
  }

  batch(): ColumnBatch {
    return this.#cells;
  }
}
