import type { Table as LanceTable, Query, VectorQuery } from "@lancedb/lancedb";
import type { ColumnBatch, ColumnType, Row, TableDeclaration } from "./declaration.ts";
import { release } from "./engine/lance.ts";
import { toTypedError } from "./engine/native-errors.ts";
import { retry } from "./engine/retry.ts";
import { absentColumns, columnsWithNulls, vectorDimension } from "./engine/schema.ts";
import { type CleanOptions, clean } from "./indexes/clean.ts";
import { type FoldOptions, type FoldOutcome, type FoldPlace, fold } from "./indexes/fold.ts";
import { healthOf, type TableHealth } from "./indexes/health.ts";
import { dropIndex, tokenize } from "./indexes/indexes.ts";
import { refresh } from "./indexes/lost-indexes.ts";
import { missingTextIndexes } from "./indexes/text-indexes.ts";
import { and, columnsOf, type Filter, gte, lt, matchesNothing } from "./read/filter.ts";
import { fragmentsOf } from "./read/fragments.ts";
import {
  type FullTextOptions,
  fullTextQuery,
  type NearestOptions,
  nearestQuery,
  rowsOf,
  type ScanOptions,
  scanQuery,
} from "./read/read.ts";
import { rowRangesOf } from "./read/row-ranges.ts";
import { toSql } from "./read/sql.ts";
import { rowAddress, rowId } from "./read/system-columns.ts";
import { validateFilter } from "./read/validate-filter.ts";
import { validateRead } from "./read/validate-read.ts";
import { nullsRead, readsAllAtOnce, scanInSmallBatches } from "./read/with-nulls.ts";
import { parseLocation } from "./storage/storage.ts";
import { renew } from "./write/renew.ts";
import { type Exclusive, type InsertOutcome, TableWriter } from "./write/write.ts";

export type TableInit = {
  readonly declaration: TableDeclaration;
  readonly handle: LanceTable;
  readonly uri: string;
  readonly location: string;
  /** The mode in which the store was opened. */
  readonly mode: "read" | "write";
  /** Makes writes durable. */
  readonly flush: () => Promise<void>;
  /** See {@link Store.proveWritable}. */
  readonly proveWritable: () => Promise<void>;
  /** Opens another handle of the table. */
  readonly open: () => Promise<LanceTable>;
  /** Declared columns that were not stored when it was opened; they read as empty. */
  readonly absent: readonly string[];
  /** Sparse columns that may have held nulls when it was opened. */
  readonly withNulls: readonly string[];
  /** See {@link Table.isUpgraded}. */
  readonly isUpgraded: boolean;
  /** Absent if other writers cannot all be kept out. */
  readonly exclusive?: Exclusive | undefined;
};

/**
 * One table of a store: everything that a consumer can do with its rows. `insert`, `append`,
 * `replace`, `update`, `renew`, `dropIndex` and `fold` throw a `TypeError` in a store that was
 * opened in mode `read`. Each first proves that its place keeps what is written
 * (`Store.proveWritable`).
 */
export class Table {
  readonly declaration: TableDeclaration;
  /** Address of its Lance dataset, for other engines to read. */
  readonly uri: string;
  /** True if opening the store added columns to the table that nothing has filled yet. */
  readonly isUpgraded: boolean;
  readonly #handle: LanceTable;
  readonly #location: string;
  readonly #mode: "read" | "write";
  readonly #flush: () => Promise<void>;
  readonly #proveWritable: () => Promise<void>;
  readonly #open: () => Promise<LanceTable>;
  #absent: readonly string[];
  #withNulls: readonly string[];
  readonly #writer: TableWriter;

  constructor(init: TableInit) {
    const { declaration, handle, uri, location, mode, isUpgraded, exclusive } = init;
    const { flush, proveWritable, open } = init;
    this.declaration = declaration;
    this.uri = uri;
    this.isUpgraded = isUpgraded;
    this.#handle = handle;
    this.#location = location;
    this.#mode = mode;
    this.#flush = flush;
    this.#proveWritable = proveWritable;
    this.#open = open;
    this.#absent = init.absent;
    this.#withNulls = init.withNulls;
    this.#writer = new TableWriter(declaration, handle, location, exclusive);
  }

  /**
   * Inserts the rows whose key is not there; existing rows stay as they are (`lance-append-only`).
   * An empty batch writes no version. Parallel calls wait for each other.
   *
   * @throws {ConflictError} if every attempt lost its race. It is safe to repeat.
   * @throws {InvalidBatchError} for rows that cannot be stored as they are.
   */
  async insert(batch: ColumnBatch, signal?: AbortSignal): Promise<InsertOutcome> {
    await this.#beforeWriting();
    return this.#writer.insert(batch, signal);
  }

  /**
   * Adds rows without looking for their keys, to a table declared without indexes. The caller has
   * to be the only writer, and to give each key once.
   *
   * @throws {TypeError} for a table with indexes.
   */
  async append(batch: ColumnBatch, signal?: AbortSignal): Promise<void> {
    await this.#beforeWriting();
    return this.#writer.append(batch, signal);
  }

  /**
   * Inserts or overwrites whole rows by primary key.
   *
   * @throws {TypeError} for a table that is not declared `isDerived` (`lance-append-only`).
   */
  async replace(batch: ColumnBatch, signal?: AbortSignal): Promise<void> {
    await this.#beforeWriting();
    return this.#writer.replace(batch, signal);
  }

  /**
   * Sets derived columns of existing rows; a key that does not exist is ignored. It rewrites these
   * columns for every row of each fragment touched, so few large batches are better than many small
   * ones.
   *
   * @returns The number of rows set.
   * @throws {TypeError} for columns that are not declared `isDerived` (`lance-append-only`).
   */
  async update(batch: ColumnBatch, signal?: AbortSignal): Promise<number> {
    await this.#beforeWriting();
    return this.#writer.update(batch, signal);
  }

  /** See {@link renew}. */
  async renew(types: Readonly<Record<string, ColumnType>>): Promise<void> {
    await this.#beforeWriting();
    return renew(this.declaration, this.#handle, this.#location, types);
  }

  /** Length of the vectors in a column, which {@link renew} may have changed. */
  async vectorDimension(column: string): Promise<number | undefined> {
    return vectorDimension(await this.#retry(() => this.#handle.schema()), column);
  }

  /**
   * Drops the index of a column, if there is one; the next fold makes it again.
   *
   * @throws {TypeError} for a full-text index, without which a search would find other rows.
   */
  async dropIndex(column: string): Promise<void> {
    await this.#beforeWriting();
    const { name, indexes } = this.declaration;
    if (indexes.some((index) => index.column === column && index.kind === "full-text")) {
      throw new TypeError(`${name}.${column}: a full-text index is not dropped`);
    }
    return this.#retry(() => dropIndex(this.#handle, column));
  }

  /** Rows of each fragment, by its number; see {@link fragmentOf}. */
  fragments(): Promise<ReadonlyMap<number, number>> {
    return this.#retry(() => fragmentsOf(this.declaration, this.#handle));
  }

  /**
   * Yields the rows that meet a condition, a batch at a time, as they were when the scan began.
   *
   * @throws {TypeError} for a column that is not declared, and for a condition that is invalid or
   * compares a column with a value of another type, as every read does.
   */
  scan(options: ScanOptions): AsyncGenerator<Row[]> {
    const isSlow = this.#withNulls.length > 0 && readsAllAtOnce(options);
    if (isSlow) return this.#scanInSmallBatches(options);
    return this.#isFullScanOfLongColumns(options)
      ? this.#scanInRanges(options)
      : this.#scanMany(options);
  }

  /** The rows that meet a condition, all at once: for few rows. */
  rows(options: ScanOptions): Promise<Row[]> {
    const isInSmallBatches =
      this.#isFullScanOfLongColumns(options) ||
      (this.#withNulls.length > 0 && readsAllAtOnce(options));
    if (isInSmallBatches) return collect(this.scan(options));
    return this.#collect(options, (stored, withNulls) =>
      scanQuery(this.declaration, this.#handle, stored, withNulls),
    );
  }

  /** How many rows meet a filter; all of them without one. */
  async count(where?: Filter): Promise<number> {
    if (where !== undefined) {
      validateFilter(this.declaration, where);
      // The engine counts many rows at once.
      const withNulls = await this.#retry(() => this.#columnsWithNulls());
      if (columnsOf(where).some((name) => withNulls.includes(name))) return this.#countEach(where);
    }
    return this.#retry(() => this.#handle.countRows(where && toSql(where, this.declaration)));
  }

  /** A number that changes with every commit, whoever makes it. */
  version(): Promise<number> {
    return this.#retry(() => this.#handle.version());
  }

  /**
   * A number that changes with every commit that was not made by this table's own `insert`,
   * `replace` or `update`: commits of other processes, and folds.
   */
  commitsOfOthers(): Promise<number> {
    return this.#writer.commitsOfOthers();
  }

  /**
   * The best rows by BM25, with `_score`. Rows that are not indexed yet are searched too.
   *
   * @throws {TypeError} also for a column that is not text, for a query that asks for nothing, and
   * for a phrase if no declared index knows positions.
   */
  fullText(options: FullTextOptions): Promise<Row[]> {
    const query = (stored: FullTextOptions, withNulls: readonly string[]): Query =>
      fullTextQuery(this.declaration, this.#handle, stored, withNulls);
    return this.#collect(options, query);
  }

  /**
   * True if the index exists by which `fullText` finds phrases in a column. Without it, a phrase is
   * never found.
   */
  async knowsPhrases(column: string): Promise<boolean> {
    const declared = this.declaration.indexes.find((index) => index.column === column);
    if (declared?.kind !== "full-text" || !declared.hasPositions) return false;
    const missing = await this.#retry(() => missingTextIndexes(this.declaration, this.#handle));
    return missing.every((index) => index.column !== column);
  }

  /**
   * The nearest rows by cosine distance, with `_distance`. Rows without a vector are never among
   * them.
   *
   * @throws {TypeError} also for a column that holds no vectors, and a vector of another length.
   */
  nearest(options: NearestOptions): Promise<Row[]> {
    const query = (stored: NearestOptions, withNulls: readonly string[]): VectorQuery =>
      nearestQuery(this.declaration, this.#handle, stored, withNulls);
    return this.#collect(options, query);
  }

  /**
   * The plan of a search, for people: as it ran, or as it would run if it would read nulls of an
   * earlier version.
   *
   * @throws {TypeError} as the search does.
   */
  async explain(options: FullTextOptions | NearestOptions): Promise<string> {
    validateRead(this.declaration, options);
    return this.#retry(async () => {
      const { stored, withNulls } = await this.#stored(options);
      const query =
        "query" in stored
          ? fullTextQuery(this.declaration, this.#handle, stored, withNulls)
          : nearestQuery(this.declaration, this.#handle, stored, withNulls);
      // Running it, the engine would read many rows at once.
      return withNulls.length > 0 ? query.explainPlan(true) : query.analyzePlan();
    });
  }

  /** The tokens that full-text search makes of a text. */
  tokenize(text: string): Promise<string[]> {
    return tokenize(text);
  }

  /** See {@link fold}. */
  async fold(options: FoldOptions = {}): Promise<FoldOutcome> {
    this.#requireWriteMode();
    return fold(this.declaration, this.#handle, this.#foldPlace(), this.#flush, options);
  }

  /** See {@link clean}. */
  async clean(options: CleanOptions = {}): Promise<boolean> {
    this.#requireWriteMode();
    return clean(this.declaration, this.#handle, this.#foldPlace(), this.#flush, options);
  }

  #foldPlace(): FoldPlace {
    const { folder: home } = parseLocation(this.uri);
    return { location: this.#location, home, proveWritable: this.#proveWritable };
  }

  /** Rows, fragments and how far each index reaches. */
  health(): Promise<TableHealth> {
    return this.#retry(() => healthOf(this.declaration, this.#handle));
  }

  /** Makes everything visible that others have committed by now (`lance-handle-freshness`). */
  refresh(): Promise<void> {
    return this.#retry(() => this.#handle.checkoutLatest());
  }

  /** Closes the table. Nothing can be asked of it afterwards. */
  close(): void {
    this.#writer.close();
    release(this.#handle);
  }

  #scanMany(options: ScanOptions): AsyncGenerator<Row[]> {
    return this.#batches(options, (stored, withNulls) =>
      scanQuery(this.declaration, this.#handle, stored, withNulls),
    );
  }

  /** True for a scan of all rows with columns that may be long. */
  #isFullScanOfLongColumns({ columns, where, orderBy = [], limit }: ScanOptions): boolean {
    const { columns: declared } = this.declaration;
    const isLong = columns.some(
      (name) => Object.hasOwn(declared, name) && declared[name]?.isSparse,
    );
    return isLong && where === undefined && orderBy.length === 0 && limit === undefined;
  }

  /** Reads few rows at a time where rows are long. */
  async *#scanInRanges(options: ScanOptions): AsyncGenerator<Row[]> {
    validateRead(this.declaration, options);
    const { folder } = parseLocation(this.uri);
    const long = folder === undefined ? undefined : await rowRangesOf(folder);
    const { stored, absent, withNulls } = await this.#retry(() => this.#stored(options));
    if (long === undefined || withNulls.length > 0) {
      yield* this.#scanMany(options);
      return;
    }
    const handle = await this.#open();
    const scan = ({ columns, where }: ScanOptions): AsyncGenerator<Row[]> => {
      const some = { columns: columns.filter((name) => !absent.includes(name)), where };
      return rowsOf(this.declaration, scanQuery(this.declaration, handle, some), absent);
    };
    try {
      // What others commit in the meantime may lie elsewhere.
      await this.#retry(() => handle.checkout(long.version));
      for (const { from, to, rowsAtOnce } of long.ranges) {
        const where = and(gte(rowAddress, from), lt(rowAddress, to));
        yield* rowsAtOnce === undefined
          ? scan({ columns: stored.columns, where })
          : scanInSmallBatches(scan, { columns: options.columns, where }, rowsAtOnce);
      }
    } catch (error) {
      throw toTypedError(this.#place, error);
    } finally {
      release(handle);
    }
  }

  async *#scanInSmallBatches(options: ScanOptions): AsyncGenerator<Row[]> {
    validateRead(this.declaration, options);
    const withNulls = await this.#retry(() => this.#columnsWithNulls());
    const readsNulls = options.columns.some((name) => withNulls.includes(name));
    const scan = (each: ScanOptions): AsyncGenerator<Row[]> => this.#scanMany(each);
    yield* readsNulls ? scanInSmallBatches(scan, options) : scan(options);
  }

  /** A query is repeated until its first batch arrives; what was yielded cannot be repeated. */
  async *#batches<Options extends ScanOptions>(
    options: Options,
    query: (stored: Options, withNulls: readonly string[]) => Query | VectorQuery,
  ): AsyncGenerator<Row[]> {
    validateRead(this.declaration, options);
    if (selectsNothing(options)) return;
    const { first, batches } = await this.#retry(async () => {
      const batches = await this.#run(options, query);
      return { first: await batches.next(), batches };
    });
    if (first.done) return;
    yield first.value;
    try {
      yield* batches;
    } catch (error) {
      throw toTypedError(this.#place, error);
    }
  }

  /** All rows of a query, which is repeated if it fails before the last of them. */
  async #collect<Options extends ScanOptions>(
    options: Options,
    query: (stored: Options, withNulls: readonly string[]) => Query | VectorQuery,
  ): Promise<Row[]> {
    validateRead(this.declaration, options);
    if (selectsNothing(options)) return [];
    return this.#retry(async () => collect(await this.#run(options, query)));
  }

  async #run<Options extends ScanOptions>(
    options: Options,
    query: (stored: Options, withNulls: readonly string[]) => Query | VectorQuery,
  ): Promise<AsyncGenerator<Row[]>> {
    const { stored, absent, withNulls } = await this.#stored(options);
    const { rowsAtOnce } = options;
    return rowsOf(this.declaration, query(stored, withNulls), absent, withNulls, rowsAtOnce);
  }

  /** Splits what is asked into stored columns and the others. */
  async #stored<Options extends ScanOptions | FullTextOptions | NearestOptions>(
    options: Options,
  ): Promise<Stored<Options>> {
    if (this.#absent.length > 0) {
      // A writer may have added them.
      this.#absent = absentColumns(await this.#handle.schema(), this.declaration);
    }
    const withNulls = nullsRead(options, await this.#columnsWithNulls());
    const absent = options.columns.filter((name) => this.#absent.includes(name));
    if (absent.length === 0) return { stored: options, absent, withNulls };
    const columns = options.columns.filter((name) => !absent.includes(name));
    // Without any column, the engine would return no rows.
    const some = columns.length > 0 ? columns : this.declaration.primaryKey.slice(0, 1);
    return { stored: { ...options, columns: some }, absent, withNulls };
  }

  /** Until a fold has handled them, in this process or another. */
  async #columnsWithNulls(): Promise<readonly string[]> {
    if (this.#withNulls.length > 0) {
      this.#withNulls = columnsWithNulls(await this.#handle.schema(), this.declaration);
    }
    return this.#withNulls;
  }

  async #countEach(where: Filter): Promise<number> {
    let count = 0;
    for await (const rows of this.scan({ columns: [rowId], where })) count += rows.length;
    return count;
  }

  /** @throws {TypeError} in mode `read`. */
  async #beforeWriting(): Promise<void> {
    this.#requireWriteMode();
    await this.#proveWritable();
  }

  #requireWriteMode(): void {
    if (this.#mode === "write") return;
    throw new TypeError(`${this.declaration.name}: the store is open in mode "read", not "write"`);
  }

  get #place(): { readonly table: string; readonly location: string } {
    return { table: this.declaration.name, location: this.#location };
  }

  #retry<T>(call: () => Promise<T>): Promise<T> {
    return retry(this.#place, call, { refresh: () => refresh(this.declaration, this.#handle) });
  }
}

type Stored<Options> = {
  readonly stored: Options;
  readonly absent: readonly string[];
  readonly withNulls: readonly string[];
};

/**
 * True for a read without rows: the engine cannot rank for a limit of 0, and no index answers for
 * an empty list.
 */
function selectsNothing({ limit, where }: ScanOptions): boolean {
  return limit === 0 || (where !== undefined && matchesNothing(where));
}

async function collect(batches: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}
