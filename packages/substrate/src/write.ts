import type { Table as LanceTable } from "@lancedb/lancedb";
import { rowCount, toArrow } from "./arrow.ts";
import type { Cell, ColumnBatch, TableDeclaration } from "./declaration.ts";
import { retry } from "./retry.ts";

export type InsertOutcome = {
  /** Rows that were new. */
  readonly inserted: number;
  /** Rows left as they are, because their key was there or came twice in the batch. */
  readonly present: number;
};

// One commit's worth: conversion blocks the thread, and a Utf8 column ends at 2 GiB.
const maxCommitBytes = 48 * 1024 * 1024;

/** The one place where rows are written (`lance-chokepoints-write`). */
export class TableWriter {
  readonly #table: TableDeclaration;
  readonly #handle: LanceTable;
  readonly #location: string;
  /** Parallel merges on one handle only lose races to each other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(table: TableDeclaration, handle: LanceTable, location: string) {
    this.#table = table;
    this.#handle = handle;
    this.#location = location;
  }

  /**
   * Merge-inserts rows by primary key; a row already there is left as it is, which keeps
   * `lance-append-only` and `adapter-integrity-additive-sync` true however often it is repeated.
   *
   * @throws {ConflictError} when every attempt lost its race. Safe to repeat.
   * @throws {InvalidBatchError} before anything is written.
   */
  async insert(batch: ColumnBatch, signal?: AbortSignal): Promise<InsertOutcome> {
    const length = rowCount(this.#table, batch);
    const rows = distinctRows(this.#table.primaryKey, batch, length);
    let inserted = 0;
    for (const slice of slices(batch, rows)) {
      const arrow = toArrow(this.#table, slice, Object.keys(slice));
      // A plan over key indexes leaves out the filter that stops concurrent duplicates.
      const result = await this.#run(signal, () =>
        this.#handle
          .mergeInsert([...this.#table.primaryKey])
          .useIndex(false)
          .whenNotMatchedInsertAll()
          .execute(arrow),
      );
      inserted += result.numInsertedRows;
    }
    return { inserted, present: length - inserted };
  }

  /** Inserts or overwrites rows by primary key: only of a table declared `isDerived`. */
  async replace(batch: ColumnBatch, signal?: AbortSignal): Promise<void> {
    if (!this.#table.isDerived) {
      throw new TypeError(`${this.#table.name}: stored rows are not replaced (lance-append-only)`);
    }
    const length = rowCount(this.#table, batch);
    for (const slice of slices(batch, distinctRows(this.#table.primaryKey, batch, length))) {
      const arrow = toArrow(this.#table, slice);
      await this.#run(signal, () =>
        this.#handle
          .mergeInsert([...this.#table.primaryKey])
          .useIndex(false)
          .whenMatchedUpdateAll()
          .whenNotMatchedInsertAll()
          .execute(arrow),
      );
    }
  }

  /**
   * Sets some columns of rows that are there; a key that is not is ignored.
   *
   * Runs over the key indexes and without a condition: only this plan rewrites the columns in
   * place and leaves every other index covering its rows.
   */
  async update(batch: ColumnBatch, signal?: AbortSignal): Promise<number> {
    const length = rowCount(this.#table, batch);
    const columns = Object.keys(batch);
    let updated = 0;
    for (const slice of slices(batch, distinctRows(this.#table.primaryKey, batch, length))) {
      const arrow = toArrow(this.#table, slice, columns);
      const result = await this.#run(signal, () =>
        this.#handle
          .mergeInsert([...this.#table.primaryKey])
          .whenMatchedUpdateAll()
          .execute(arrow),
      );
      updated += result.numUpdatedRows;
    }
    return updated;
  }

  #run<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    const place = { table: this.#table.name, location: this.#location };
    const refresh = (): Promise<void> => this.#handle.checkoutLatest();
    const result = this.#last.then(() => retry(place, call, { signal, refresh }));
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** Row numbers without those whose key came before: the engine would store both. */
function distinctRows(key: readonly string[], batch: ColumnBatch, length: number): number[] {
  const columns = key.map((name) => batch[name] ?? []);
  const seen = new Set<string>();
  const rows: number[] = [];
  for (let row = 0; row < length; row++) {
    const id =
      columns.length === 1
        ? String(columns[0]?.[row])
        : JSON.stringify(columns.map((cells) => String(cells[row])));
    if (seen.has(id)) continue;
    seen.add(id);
    rows.push(row);
  }
  return rows;
}

function* slices(batch: ColumnBatch, rows: readonly number[]): Generator<ColumnBatch> {
  const columns = Object.entries(batch);
  const take = (from: number, to: number): ColumnBatch => {
    if (to - from === columns[0]?.[1].length) return batch;
    const chosen = rows.slice(from, to);
    return Object.fromEntries(
      columns.map(([name, cells]) => [name, chosen.map((row) => cells[row] ?? null)]),
    );
  };
  let from = 0;
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    for (const [, cells] of columns) bytes += sizeOf(cells[row] ?? null);
    if (bytes < maxCommitBytes) continue;
    yield take(from, index + 1);
    from = index + 1;
    bytes = 0;
  }
  if (from < rows.length) yield take(from, rows.length);
}

function sizeOf(cell: Cell): number {
  if (typeof cell === "string" || cell instanceof Uint8Array) return cell.length;
  return cell instanceof Float32Array ? cell.length * 2 : 8;
}
