import { randomUUID } from "node:crypto";
import type { Connection, Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import type { Caches } from "../engine/caches.ts";
import { loadLance, release } from "../engine/lance.ts";
import { isTableNotFound } from "../engine/native-errors.ts";
import { retry } from "../engine/retry.ts";
import { absentColumns, columnsWithNulls, fromSchema, mismatchedColumn } from "../engine/schema.ts";
import { type SchemaProblem, StoreNotFoundError, StoreSchemaError } from "../errors.ts";
import { createIndexes } from "../indexes/indexes.ts";
import { dropLostIndexes } from "../indexes/lost-indexes.ts";
import { textIndexesToMake } from "../indexes/text-indexes.ts";
import { finishRenewal, isInRenewal } from "../write/renew.ts";
import { isEarlier, upgrade } from "../write/upgrade.ts";
import { createTable } from "./create.ts";
import { nudgeThreads } from "./nudge-threads.ts";
import { datasetsOf } from "./pointer.ts";
import { defaultRetryOptions, proveExclusiveCommits, proveReachable } from "./remote.ts";
import type { StoreLocation } from "./storage.ts";

export type CatalogOptions = {
  readonly storageOptions?: Readonly<Record<string, string>> | undefined;
  readonly caches: Caches;
  /** How old the data of a read may be; see {@link StoreOptions}. */
  readonly stalenessMs: number;
};

/** An opened table, its dataset, and the id of the store that it says it belongs to. */
export type OpenedTable = {
  readonly handle: LanceTable;
  readonly uri: string;
  readonly storeId: string;
  /**
   * Derived columns that were declared after the table was made and that no writer has added yet.
   */
  readonly absent: readonly string[];
  /** Sparse columns that may hold nulls until a fold has handled them. */
  readonly withNulls: readonly string[];
  /** True if opening the store has added them. */
  readonly isUpgraded: boolean;
};

/** Opens every dataset (`lance-chokepoints-catalog`). */
export class Catalog {
  readonly location: StoreLocation;
  readonly #connection: Connection;
  readonly #storageOptions: Readonly<Record<string, string>>;
  readonly #upgraded: Set<string> = new Set();
  readonly #stopNudging: () => void = nudgeThreads();
  /** Names of datasets by table, as far as they are known. */
  #datasets: ReadonlyMap<string, string> = new Map();
  /** That the place keeps what is written, once it was asked. */
  #proof: Promise<void> | undefined;

  private constructor(
    location: StoreLocation,
    connection: Connection,
    storageOptions: Readonly<Record<string, string>>,
  ) {
    this.location = location;
    this.#connection = connection;
    this.#storageOptions = storageOptions;
  }

  static async connect(location: StoreLocation, options: CatalogOptions): Promise<Catalog> {
    const isRemote = location.folder === undefined;
    if (isRemote) await proveReachable(location, options.storageOptions ?? {});
    const { session } = options.caches;
    const place = { table: "catalog", location: location.uri };
    const connection = await retry(place, () =>
      loadLance().connect(location.uri, {
        session,
        storageOptions: { ...(isRemote && defaultRetryOptions), ...options.storageOptions },
        readConsistencyInterval: options.stalenessMs / 1000,
      }),
    );
    return new Catalog(location, connection, options.storageOptions ?? {});
  }

  /** Opens a table as it is. */
  async openAny(name: string): Promise<LanceTable> {
    try {
      const dataset = this.#datasetOf(name);
      return await retry(this.#place(name), () => this.#connection.openTable(dataset));
    } catch (error) {
      if (!isTableNotFound(error)) throw error;
      this.#refuse(
        name,
        "only part of it is there: wait until its copy is complete, or copy it again",
      );
    }
  }

  /** Opens a table for use, without the indexes of columns that no longer exist. */
  async open(table: TableDeclaration): Promise<OpenedTable> {
    const opened = await this.openChecked(table);
    const { handle } = opened;
    await retry(this.#place(table.name), () => dropLostIndexes(table, handle), {
      refresh: () => handle.checkoutLatest(),
    });
    return opened;
  }

  /** Opens a table and checks that this version of the consumer may use it. Changes nothing. */
  async openChecked(table: TableDeclaration): Promise<OpenedTable> {
    const handle = await this.openAny(table.name);
    const schema = await retry(this.#place(table.name), () => handle.schema());
    const stored = fromSchema(schema, table);
    const { schemaVersion } = table;
    if (stored === undefined) {
      const key = table.primaryKey.join(", ");
      this.#refuse(table.name, `it was not made by pond, or with another key than ${key}`);
    }
    if (stored.schemaVersion > schemaVersion) {
      const reason = `its schema version ${stored.schemaVersion} is newer than ${schemaVersion}`;
      this.#refuse(table.name, `${reason}; update pond to open it`);
    }
    const mismatched = mismatchedColumn(schema, table);
    if (mismatched !== undefined)
      this.#refuse(table.name, `column ${mismatched} is missing or of another type`);
    const uri = `${this.location.uri}/${this.#datasetOf(table.name)}.lance`;
    const isUpgraded = this.#upgraded.has(table.name);
    const absent = absentColumns(schema, table);
    const withNulls = columnsWithNulls(schema, table);
    return { handle, uri, storeId: stored.storeId, absent, withNulls, isUpgraded };
  }

  /** Reads the names of the existing datasets, by table. */
  async loadDatasets(tables: readonly TableDeclaration[]): Promise<ReadonlyMap<string, string>> {
    const names = tables.map(({ name }) => name);
    this.#datasets = await datasetsOf(this.#connection, this.location, names);
    return this.#datasets;
  }

  /**
   * @throws {StoreNotFoundError} if none of `tables` exists.
   * @throws {StoreSchemaError} if only some exist.
   */
  async requireAll(tables: readonly TableDeclaration[]): Promise<void> {
    await this.loadDatasets(tables);
    await this.#refuseLost(tables);
    const missing = tables.filter(({ name }) => !this.#datasets.has(name));
    if (missing.length === tables.length) throw new StoreNotFoundError(this.location.uri);
    for (const table of missing) {
      const reason = "the store is older than this table; write to the store once";
      this.#refuse(table.name, reason, "unmade");
    }
  }

  /**
   * Creates the missing ones of `tables`. Other processes may do so at the same time.
   *
   * @throws {StoreSchemaError} if a table is lost: an empty one in its place would hide that.
   */
  async create(tables: readonly TableDeclaration[]): Promise<void> {
    await this.loadDatasets(tables);
    await this.#refuseLost(tables);
    if (tables.some(({ name }) => !this.#datasets.has(name))) await this.#createMissing(tables);
    // All are checked first, so that nothing is changed in a store that is refused.
    const proven = await Promise.all(
      tables.map(async (table) => ({ table, ...(await this.openChecked(table)) })),
    );
    for (const { table, handle } of proven) await this.#bringUpToDate(table, handle);
  }

  async #createMissing([first, ...others]: readonly TableDeclaration[]): Promise<void> {
    await this.proveWritable();
    if (first === undefined) return;
    await this.#createIfMissing(first, randomUUID());
    // The first table decides the id, whoever made it.
    const { storeId } = await this.open(first);
    // In an object store, each takes a dozen requests one after the other.
    const outcomes = await Promise.allSettled(
      others.map((table) => this.#createIfMissing(table, storeId)),
    );
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  }

  async #createIfMissing(table: TableDeclaration, storeId: string): Promise<void> {
    if (this.#datasets.has(table.name)) return;
    const dataset = await createTable(this.location, this.#connection, table, storeId);
    this.#datasets = new Map(this.#datasets).set(table.name, dataset);
  }

  /**
   * Proves, before anything is written, that the place keeps what is written. For an object store
   * this takes about 200 requests, which would be most of the requests of a sync without news.
   *
   * @throws {StorageUnavailableError} if it would lose commits.
   */
  async proveWritable(): Promise<void> {
    if (this.location.folder !== undefined) return;
    // The tables of this store share it. Other stores do not: it may fail for one place only.
    const [connection, options] = [this.#connection, this.#storageOptions];
    this.#proof ??= proveExclusiveCommits(this.location, connection, options);
    try {
      await this.#proof;
    } catch (error) {
      // A fault may pass.
      this.#proof = undefined;
      throw error;
    }
  }

  /** Names of tables missing because the store is older. Call {@link loadDatasets} before. */
  async newerTables(tables: readonly TableDeclaration[]): Promise<ReadonlySet<string>> {
    const [first] = tables;
    const missing = tables.filter(({ name }) => !this.#datasets.has(name));
    const later = missing.filter(({ since = 1 }) => since > 1);
    if (first === undefined || missing.includes(first) || later.length === 0) return new Set();
    const handle = await this.openAny(first.name);
    try {
      const schema = await retry(this.#place(first.name), () => handle.schema());
      const { schemaVersion = first.schemaVersion } = fromSchema(schema, first) ?? {};
      return new Set(
        later.filter(({ since = 1 }) => since > schemaVersion).map(({ name }) => name),
      );
    } finally {
      release(handle);
    }
  }

  close(): void {
    this.#stopNudging();
    release(this.#connection);
  }

  /**
   * All tables are made before any holds a row, except those that can be made from the others and
   * those that are newer than the store.
   */
  async #refuseLost(tables: readonly TableDeclaration[]): Promise<void> {
    const newer = await this.newerTables(tables);
    const own = tables.filter(({ name, isDerived }) => !isDerived && !newer.has(name));
    const isMissing = ({ name }: TableDeclaration): boolean => !this.#datasets.has(name);
    if (!own.some(isMissing)) return;
    for (const { name } of own.filter((table) => !isMissing(table))) {
      if ((await this.#countRows(name)) === 0) continue;
      // Another process may have made the rest in the meantime.
      await this.loadDatasets(tables);
      const lost = own.find(isMissing);
      if (lost === undefined) return;
      this.#refuse(lost.name, `it is lost, but ${name} holds rows that belong to it`, "lost");
    }
  }

  async #countRows(name: string): Promise<number> {
    const handle = await this.openAny(name);
    try {
      return await retry(this.#place(name), () => handle.countRows());
    } finally {
      release(handle);
    }
  }

  #datasetOf(table: string): string {
    return this.#datasets.get(table) ?? table;
  }

  async #bringUpToDate(table: TableDeclaration, handle: LanceTable): Promise<void> {
    const { uri } = this.location;
    const schema = await retry(this.#place(table.name), () => handle.schema());
    if (isEarlier(table, schema) || isInRenewal(table, schema)) await this.proveWritable();
    await finishRenewal(table, handle, uri);
    if (await upgrade(table, handle, uri)) this.#upgraded.add(table.name);
    const indexes = await textIndexesToMake(table, handle, uri);
    if (indexes.length > 0) await this.proveWritable();
    await createIndexes(table, handle, uri, indexes, {});
    release(handle);
  }

  #place(table: string): { readonly table: string; readonly location: string } {
    return { table, location: this.location.uri };
  }

  #refuse(table: string, reason: string, problem?: SchemaProblem): never {
    throw new StoreSchemaError(this.location.uri, table, reason, problem);
  }
}
