import type { Cell, ColumnBatch, Row } from "@pond/substrate";

/** A row as an object; every row of a table names the same columns. */
export type RowValues = Readonly<Record<string, Cell>>;

/** Rows on their way to a table, kept column by column. */
export class Columns {
  readonly #cells: Record<string, Cell[]> = {};
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** @returns The number of the row. */
  push(row: RowValues): number {
    for (const column in row) {
      const cells = this.#cells[column];
      if (cells) cells.push(row[column] ?? null);
      else this.#cells[column] = [row[column] ?? null];
    }
    return this.#length++;
  }

  set(row: number, column: string, cell: Cell): void {
    const cells = this.#cells[column];
    if (cells) cells[row] = cell;
  }

  /** A row as it was pushed. */
  row(row: number): Row {
    return Object.fromEntries(
      Object.entries(this.#cells).map(([column, cells]) => [column, cells[row] ?? null]),
    );
  }

  batch(): ColumnBatch {
    return this.#cells;
  }
}
