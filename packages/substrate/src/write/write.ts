import type { Table as LanceTable, MergeInsertBuilder, MergeResult } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import type { ColumnBatch, TableDeclaration } from "../declaration.ts";
import { retry } from "../engine/retry.ts";
import { withStoredVectors } from "../engine/schema.ts";
import { createIndexes } from "../indexes/indexes.ts";
import { refresh } from "../indexes/lost-indexes.ts";
import { distinctRows, rowCount, slices, takeRows, withAllColumns } from "../rows/batch.ts";
import { toArrow } from "../rows/to-arrow.ts";
import { addRows } from "./add-rows.ts";
import type { KeyCache } from "./key-cache.ts";
import type { WriterLock } from "./writer-lock.ts";

/** The outcome of an insert. */
export type InsertOutcome = {
  /** Rows that were new. */
  readonly inserted: number;
  /** Rows that were left as they are, because their key existed or came twice in the batch. */
  readonly present: number;
};

/** What makes a writer the only one of a table. */
export type Exclusive = { readonly lock: WriterLock; readonly keys: KeyCache };

type Merge = (builder: MergeInsertBuilder) => MergeInsertBuilder;

// A plan over the key indexes omits the filter that stops concurrent writers from storing a key
// twice, so both of these scan the key columns of all rows instead.
const insertMissing: Merge = (builder) => builder.useIndex(false).whenNotMatchedInsertAll();
const upsert: Merge = (builder) =>
  builder.useIndex(false).whenMatchedUpdateAll().whenNotMatchedInsertAll();

// Only the plan over the key indexes, without a condition, rewrites columns in place and leaves its
// rows covered by every other index. It inserts nothing, so it can duplicate nothing.
const setColumns: Merge = (builder) => builder.whenMatchedUpdateAll();

/** Writes all rows: the one place that does (`lance-chokepoints-write`). */
export class TableWriter {
  readonly #table: TableDeclaration;
  readonly #handle: LanceTable;
  readonly #location: string;
  readonly #exclusive: Exclusive | undefined;
  /** Parallel merges on one handle would only lose races to each other. */
  #queue: Promise<unknown> = Promise.resolve();
  /** The version up to which it is known whose the commits are; undefined if nobody has asked. */
  #countedVersion: number | undefined;
  #commitsOfOthers = 0;

  /** @param exclusive - Absent if other writers cannot all be kept out. */
  constructor(
    table: TableDeclaration,
    handle: LanceTable,
    location: string,
    exclusive?: Exclusive,
  ) {
    this.#table = table;
    this.#handle = handle;
    this.#location = location;
    this.#exclusive = exclusive;
  }

  /** Nothing can be written afterwards. A commit in progress keeps others out until it is done. */
  close(): void {
    void this.#queue.then(() => {
      this.#exclusive?.keys.close();
      this.#exclusive?.lock.close();
    });
  }

  /** See {@link Table.commitsOfOthers}. */
  async commitsOfOthers(): Promise<number> {
    return this.#inTurn(undefined, async () => {
      await this.#handle.checkoutLatest();
      const version = await this.#handle.version();
      // If a backup took its place, there are fewer.
      this.#commitsOfOthers += Math.abs(version - (this.#countedVersion ?? version));
      this.#countedVersion = version;
      return this.#commitsOfOthers;
    });
  }

  /** Notes a version that this writer has made. Any other version counts as somebody else's. */
  #recordCommit(version: number): void {
    if (this.#countedVersion === undefined || version <= this.#countedVersion) return;
    this.#commitsOfOthers += version - this.#countedVersion - 1;
    this.#countedVersion = version;
  }

  /**
   * Inserts rows whose primary key does not exist; an existing row is left as it is. That keeps
   * `lance-append-only` and `adapter-integrity-additive-sync` true, however often it is repeated.
   *
   * A merge of the engine does that whoever else writes, but reads every existing key. So if a lock
   * keeps others out, the keys are looked up instead, and the rest is appended.
   *
   * @throws {ConflictError} if every attempt lost its race. It is safe to repeat.
   * @throws {InvalidBatchError} for rows that cannot be stored as they are.
   */
  async insert(batch: ColumnBatch, signal?: AbortSignal): Promise<InsertOutcome> {
    const length = rowCount(this.#table, batch, this.#requiredColumns());
    // For a column that is left out, the merge would read everything stored: for a vector column,
    // gigabytes.
    const whole = withAllColumns(this.#table, batch, length);
    const inserted = this.#exclusive
      ? await this.#appendMissing(whole, length, this.#exclusive, signal)
      : await this.#mergeMissing(whole, length, signal);
    return { inserted, present: length - inserted };
  }

  /** An attempt that failed after its commit finds its own rows. */
  async #appendMissing(
    batch: ColumnBatch,
    length: number,
    { lock, keys }: Exclusive,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let inserted = 0;
    for (const slice of slices(this.#table, batch, this.#distinctRows(batch, length))) {
      const append = async (): Promise<number> => {
        // Converted with all rows, because a row that cannot be stored is refused whether its key
        // exists or not.
        const whole = await this.#toArrow(slice);
        const missing = await keys.missingRows(slice);
        if (missing.length === 0) return 0;
        const rows = takeRows(slice, missing);
        const added = rows === slice ? whole : await this.#toArrow(rows);
        const { version } = await addRows(this.#handle, added, rows);
        keys.recordAdded(rows, version);
        this.#recordCommit(version);
        return missing.length;
      };
      inserted += await this.#inTurn(signal, () => lock.hold(signal, append));
    }
    return inserted;
  }

  async #mergeMissing(
    batch: ColumnBatch,
    length: number,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    const results = await this.#merge(batch, length, insertMissing, signal);
    return results.reduce((sum, { numInsertedRows }) => sum + numInsertedRows, 0);
  }

  /**
   * Adds rows to a table declared without indexes, such as one that is exported. Nothing is looked
   * for, which spares reading every existing key. The caller has to be the only writer, and to give
   * each key once.
   */
  async append(batch: ColumnBatch, signal?: AbortSignal): Promise<void> {
    if (this.#table.indexes.length > 0) {
      throw new TypeError(`${this.#table.name}: rows of a store are inserted by their keys`);
    }
    const length = rowCount(this.#table, batch, this.#requiredColumns());
    const whole = withAllColumns(this.#table, batch, length);
    for (const slice of slices(this.#table, whole, [...new Array(length).keys()])) {
      const append = async () => addRows(this.#handle, await this.#toArrow(slice), slice);
      await this.#inTurn(signal, append);
    }
  }

  async #toArrow(batch: ColumnBatch): Promise<ArrowTable> {
    // Read each time, because another process may have renewed a vector column.
    return toArrow(withStoredVectors(this.#table, await this.#handle.schema()), batch);
  }

  /** Inserts or overwrites rows by primary key; only for a table declared `isDerived`. */
  async replace(batch: ColumnBatch, signal?: AbortSignal): Promise<void> {
    if (!this.#table.isDerived) {
      throw new TypeError(`${this.#table.name}: stored rows are not replaced (lance-append-only)`);
    }
    // A row is overwritten as a whole, so a column left out would keep its old cell.
    const length = rowCount(this.#table, batch, Object.keys(this.#table.columns));
    await this.#merge(batch, length, upsert, signal);
  }

  /**
   * Sets derived columns of existing rows; a key that does not exist is ignored. It rewrites these
   * columns for every row of each fragment that holds one of the rows, so few large batches are
   * better than many small ones.
   */
  async update(batch: ColumnBatch, signal?: AbortSignal): Promise<number> {
    const { name: table, primaryKey, columns } = this.#table;
    for (const name of Object.keys(batch)) {
      if (columns[name]?.isDerived || primaryKey.includes(name)) continue;
      throw new TypeError(`${table}.${name}: stored data is not updated (lance-append-only)`);
    }
    const length = rowCount(this.#table, batch, primaryKey);
    let updated = 0;
    for (const result of await this.#merge(batch, length, setColumns, signal)) {
      updated += result.numUpdatedRows;
    }
    return updated;
  }

  /** Runs a merge over the distinct rows of a batch; for none it writes no version. */
  async #merge(
    batch: ColumnBatch,
    length: number,
    merge: Merge,
    signal: AbortSignal | undefined,
  ): Promise<MergeResult[]> {
    const key = [...this.#table.primaryKey];
    const results: MergeResult[] = [];
    for (const slice of slices(this.#table, batch, this.#distinctRows(batch, length))) {
      const run = async (): Promise<MergeResult> => {
        const rows = await this.#toArrow(slice);
        if (merge === setColumns) await this.#coverKeys(signal);
        const result = await merge(this.#handle.mergeInsert(key)).execute(rows);
        // A merge that sets nothing may make no version, and name another's.
        if (merge !== setColumns || result.numUpdatedRows > 0) this.#recordCommit(result.version);
        return result;
      };
      // Inserts keep others out, as others keep them out.
      const lock = merge === setColumns ? undefined : this.#exclusive?.lock;
      results.push(await this.#inTurn(signal, () => (lock ? lock.hold(signal, run) : run())));
    }
    return results;
  }

  /**
   * Makes the key indexes again if one covers nothing, as after an update of every fragment:
   * without them a merge moves whole rows, and every index loses those.
   */
  async #coverKeys(signal: AbortSignal | undefined): Promise<void> {
    const { primaryKey, indexes } = this.#table;
    const known = await this.#handle.listIndices();
    const isCovered = primaryKey.every((name) =>
      known.some(({ columns, numIndexedRows = 0 }) => columns[0] === name && numIndexedRows > 0),
    );
    if (isCovered) return;
    const keys = indexes.filter(({ column }) => primaryKey.includes(column));
    await createIndexes(this.#table, this.#handle, this.#location, keys, { signal });
  }

  #distinctRows(batch: ColumnBatch, length: number): number[] {
    return distinctRows(this.#table.primaryKey, batch, length);
  }

  #requiredColumns(): string[] {
    return Object.entries(this.#table.columns).flatMap(([name, { isNullable }]) =>
      isNullable ? [] : [name],
    );
  }

  #inTurn<T>(signal: AbortSignal | undefined, call: () => Promise<T>): Promise<T> {
    const place = { table: this.#table.name, location: this.#location };
    const options = { signal, refresh: () => refresh(this.#table, this.#handle) };
    const result = this.#queue.then(() => retry(place, call, options));
    this.#queue = result.catch(() => undefined);
    return result;
  }
}
