import { randomUUID } from "node:crypto";
import type { Connection, Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "./declaration.ts";
import { StorageUnavailableError, StoreNotFoundError, StoreSchemaError } from "./errors.ts";
import { createIndexes } from "./indexes.ts";
import { loadLance } from "./lance.ts";
import { retry } from "./retry.ts";
import { fromSchema, toSchema, unmetColumn } from "./schema.ts";
import type { StoreLocation } from "./storage.ts";

export type CatalogOptions = {
  readonly storageOptions?: Readonly<Record<string, string>> | undefined;
  readonly indexCacheBytes: number;
  readonly metadataCacheBytes: number;
};

/** A table as it was opened, and the id of the store it says it belongs to. */
export type OpenedTable = { readonly handle: LanceTable; readonly storeId: string };

const remoteStalenessSeconds = 5;

// `lance-table-creation`. None of it can be switched on later.
const creationOptions = {
  new_table_data_storage_version: "2.2",
  new_table_enable_v2_manifest_paths: "true",
  new_table_enable_stable_row_ids: "true",
};

/** Every dataset open goes through here (`lance-chokepoints-catalog`). */
export class Catalog {
  readonly location: StoreLocation;
  readonly #connection: Connection;

  private constructor(location: StoreLocation, connection: Connection) {
    this.location = location;
    this.#connection = connection;
  }

  static async connect(location: StoreLocation, options: CatalogOptions): Promise<Catalog> {
    const { connect, Session } = loadLance();
    // One pool of caches and connections for all tables (spec 3.4).
    const session = new Session(
      BigInt(options.indexCacheBytes),
      BigInt(options.metadataCacheBytes),
    );
    const place = { table: "catalog", location: location.uri };
    const connection = await retry(place, () =>
      connect(location.uri, {
        session,
        storageOptions: { ...options.storageOptions },
        // `lance-handle-freshness`: a local manifest costs microseconds to read again.
        readConsistencyInterval: location.folder === undefined ? remoteStalenessSeconds : 0,
      }),
    );
    return new Catalog(location, connection);
  }

  /** Opens a table as it is. */
  openAny(name: string): Promise<LanceTable> {
    return retry(this.#place(name), () => this.#connection.openTable(name));
  }

  /** Opens a table and proves that this version of the consumer may use it. */
  async open(table: TableDeclaration): Promise<OpenedTable> {
    const handle = await this.openAny(table.name);
    const schema = await retry(this.#place(table.name), () => handle.schema());
    const stored = fromSchema(schema, table);
    const { schemaVersion } = table;
    if (stored === undefined) this.#refuse(table, "something else than pond made it");
    if (stored.schemaVersion > schemaVersion) {
      const reason = `its schema version ${stored.schemaVersion} is newer than ${schemaVersion}`;
      this.#refuse(table, `${reason}; update pond to open it`);
    }
    const unmet = unmetColumn(schema, table);
    if (unmet !== undefined) this.#refuse(table, `column ${unmet} is missing or of another type`);
    return { handle, storeId: stored.storeId };
  }

  /** @throws {StoreNotFoundError} where there is none of `tables`. */
  async requireAll(tables: readonly TableDeclaration[]): Promise<void> {
    const known = await this.#tableNames();
    const missing = tables.filter(({ name }) => !known.has(name));
    if (missing.length === tables.length) throw new StoreNotFoundError(this.location.uri);
    for (const table of missing) {
      this.#refuse(table, "the store was made before there was such a table; write to it once");
    }
  }

  /** Creates what is missing of `tables`; other processes may do so at once. */
  async create(tables: readonly TableDeclaration[]): Promise<void> {
    const known = await this.#tableNames();
    let storeId: string = randomUUID();
    for (const table of tables) {
      if (!known.has(table.name)) await this.#create(table, storeId);
      // The first table decides the id, whoever made it.
      if (table === tables[0]) ({ storeId } = await this.open(table));
    }
  }

  /**
   * Proves that of several writers that create one file only one succeeds. An object store that
   * ignores `If-None-Match` would lose commits silently.
   *
   * @throws {StorageUnavailableError} where it does not hold.
   */
  async proveExclusiveCreation(): Promise<void> {
    const name = `probe_${randomUUID().replaceAll("-", "")}`;
    const probe: TableDeclaration = {
      name,
      schemaVersion: 1,
      primaryKey: ["id"],
      columns: { id: { type: "text" } },
      indexes: [],
    };
    const writers = Array.from({ length: 4 }, () => this.#createTable(probe, name));
    const outcomes = await Promise.allSettled(writers);
    await this.#connection.dropTable(name).catch(() => undefined);
    const created = outcomes.filter(({ status }) => status === "fulfilled").length;
    if (created > 1) {
      const reason = `${created} writers created one file at once; this object store does not honour If-None-Match, so commits would be lost`;
      throw new StorageUnavailableError(this.location.uri, reason);
    }
    if (created === 1) return;
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    throw new StorageUnavailableError(this.location.uri, String(failed?.reason));
  }

  close(): void {
    this.#connection.close();
  }

  async #tableNames(): Promise<Set<string>> {
    return new Set(await retry(this.#place("catalog"), () => this.#connection.tableNames()));
  }

  async #create(table: TableDeclaration, storeId: string): Promise<void> {
    try {
      await retry(this.#place(table.name), () => this.#createTable(table, storeId));
    } catch (error) {
      // Another process was faster: its table is as good.
      if (!(error instanceof Error && /already exists/i.test(error.message))) throw error;
      return;
    }
    const handle = await this.openAny(table.name);
    // Without its index a text column is searched by another tokenizer.
    const fullText = table.indexes.filter(({ kind }) => kind === "full-text");
    await createIndexes(table, handle, this.location.uri, fullText, {});
    handle.close();
  }

  #createTable(table: TableDeclaration, storeId: string): Promise<LanceTable> {
    return this.#connection.createEmptyTable(table.name, toSchema(table, storeId), {
      storageOptions: creationOptions,
    });
  }

  #place(table: string): { readonly table: string; readonly location: string } {
    return { table, location: this.location.uri };
  }

  #refuse(table: TableDeclaration, reason: string): never {
    throw new StoreSchemaError(this.location.uri, table.name, reason);
  }
}
