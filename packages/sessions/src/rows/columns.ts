import { type Cell, type ColumnBatch, type Row, TextCells } from "@pond/substrate";

/** Rows on their way to a table, kept column by column; all rows name the same columns. */
export class Columns {
  readonly #cells: Record<string, Cell[]> = {};
  readonly #texts: Record<string, TextCells> = {};
  #length = 0;

  /** @param texts - The columns with long texts; these are kept encoded, and cannot be set. */
  constructor(texts: readonly string[] = []) {
    for (const column of texts) this.#texts[column] = new TextCells();
  }

  get length(): number {
    return this.#length;
  }

  /** @returns The number of the row. */
  push(row: Row): number {
    for (const column in row) {
      const cell = row[column] ?? null;
      const texts = this.#texts[column];
      const cells = this.#cells[column];
      if (texts && (typeof cell === "string" || cell === null)) texts.push(cell);
      else if (cells) cells.push(cell);
      else this.#cells[column] = [cell];
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
      Object.entries(this.batch()).map(([column, cells]) => [column, cells.at(row) ?? null]),
    );
  }

  /** The rows without those that have one of these values in a column. */
  without(column: string, values: ReadonlySet<Cell>): Columns {
    const others = new Columns(Object.keys(this.#texts));
    for (let at = 0; at < this.#length; at++) {
      const row = this.row(at);
      if (!values.has(row[column] ?? null)) others.push(row);
    }
    return others;
  }

  /** Frees the memory of long texts; the rows are then gone. */
  free(): void {
    for (const texts of Object.values(this.#texts)) texts.free();
    for (const column of Object.keys(this.#cells)) delete this.#cells[column];
    this.#length = 0;
  }

  batch(): ColumnBatch {
    return this.#length === 0 ? {} : { ...this.#cells, ...this.#texts };
  }
}
