import type { Cell, ColumnBatch, Row, Store, Table } from "@pond/substrate";
import { bytesOf } from "./read-rows.ts";

// Each batch becomes a commit, for which the engine takes many times as much memory.
const batchBytes = 4 * 1024 * 1024;

export type RowWriterInit = {
  /** By table. */
  readonly columnsOf: (table: string) => readonly string[];
  /** True if the table has none of the rows, so that none has to be looked for. */
  readonly isNew: boolean;
  readonly signal: AbortSignal | undefined;
  readonly onWritten: (rows: number) => void;
};

/**
 * Inserts rows if their keys are absent, many at a time: a batch is written while more rows come.
 */
export class RowWriter {
  readonly #table: Table;
  readonly #init: RowWriterInit;
  #rows: Row[] = [];
  #bytes = 0;
  #writing: Promise<void> = Promise.resolve();
  /** Rows that were new, once it is finished. */
  inserted = 0;
  /** Rows that another process had inserted in the meantime. */
  present = 0;

  constructor(table: Table, init: RowWriterInit) {
    this.#table = table;
    this.#init = init;
  }

  /** @throws {SubstrateError} if a write failed: of this batch, or of the one before. */
  async add(row: Row): Promise<void> {
    this.#rows.push(row);
    this.#bytes += bytesOf(row);
    if (this.#bytes < batchBytes) return;
    const isLarge = this.#bytes > 2 * batchBytes;
    await this.#begin();
    // Only one large row is in memory at a time.
    if (isLarge) await this.#writing;
  }

  /** Inserts what is left. */
  async finish(): Promise<void> {
    await this.#begin();
    await this.#writing;
  }

  /** Waits until no write is in progress, however the last one ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  async #begin(): Promise<void> {
    await this.#writing;
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    if (rows.length === 0) return;
    this.#writing = this.#write(rows);
    // The next call gets the error.
    this.#writing.catch(() => undefined);
  }

  async #write(rows: readonly Row[]): Promise<void> {
    const { columnsOf, isNew, signal, onWritten } = this.#init;
    const batch = toColumns(columnsOf(this.#table.declaration.name), rows);
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

/** A writer for each table of a store. */
export class RowWriters {
  readonly #store: Store;
  readonly #init: RowWriterInit;
  readonly #writers: Map<string, RowWriter> = new Map();

  constructor(store: Store, init: RowWriterInit) {
    this.#store = store;
    this.#init = init;
  }

  of(table: string): RowWriter {
    const writer = this.#writers.get(table) ?? new RowWriter(this.#store.table(table), this.#init);
    this.#writers.set(table, writer);
    return writer;
  }

  /** Inserts what is left. */
  async finish(): Promise<void> {
    for (const writer of this.#writers.values()) await writer.finish();
  }

  /** Waits until no write is in progress, however the last one ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const writer of this.#writers.values()) await writer[Symbol.asyncDispose]();
  }
}

function toColumns(columns: readonly string[], rows: readonly Row[]): ColumnBatch {
  return Object.fromEntries(
    columns.map((name) => [name, rows.map((row): Cell => row[name] ?? null)]),
  );
}
