import type { Cell, ColumnBatch, Row, Table } from "@pond/substrate";
import { bytesOf } from "./read-rows.ts";

// Each batch becomes a commit, and for each the engine takes many times as much memory.
const batchBytes = 4 * 1024 * 1024;

export type RowWriterInit = {
  readonly columns: readonly string[];
  /** The table has none of the rows, so none has to be looked for. */
  readonly isNew: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onWritten: (rows: number) => void;
};

/** Inserts rows where their keys are absent, many at a time. */
export class RowWriter {
  readonly #table: Table;
  readonly #init: RowWriterInit;
  #rows: Row[] = [];
  #bytes = 0;
  /** Rows that were new so far. */
  inserted = 0;
  /** Rows that another process had inserted meanwhile. */
  present = 0;

  constructor(table: Table, init: RowWriterInit) {
    this.#table = table;
    this.#init = init;
  }

  async add(row: Row): Promise<void> {
    this.#rows.push(row);
    this.#bytes += bytesOf(row);
    if (this.#bytes >= batchBytes) await this.finish();
  }

  /** Inserts what is left. */
  async finish(): Promise<void> {
    const rows = this.#rows;
    if (rows.length === 0) return;
    this.#rows = [];
    this.#bytes = 0;
    const { columns, isNew, signal, onWritten } = this.#init;
    const batch = toColumns(columns, rows);
    if (isNew) {
      await this.#table.append(batch, signal);
      this.inserted += rows.length;
    } else {
      const { inserted, present } = await this.#table.insert(batch, signal);
      this.inserted += inserted;
      this.present += present;
    }
    onWritten(rows.length);
  }
}

function toColumns(columns: readonly string[], rows: readonly Row[]): ColumnBatch {
  return Object.fromEntries(
    columns.map((name) => [name, rows.map((row): Cell => row[name] ?? null)]),
  );
}
