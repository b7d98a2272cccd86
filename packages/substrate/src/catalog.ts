import { randomUUID } from "node:crypto";
import type { Connection, Table as LanceTable } from "@lancedb/lancedb";
import { createTable, proveExclusiveCommits, settle } from "./create.ts";
import type { TableDeclaration } from "./declaration.ts";
import { StoreNotFoundError, StoreSchemaError } from "./errors.ts";
import { loadLance, release } from "./lance.ts";
import { dropLostIndexes } from "./lost-indexes.ts";
import { finishRenewal } from "./renew.ts";
import { retry } from "./retry.ts";
import { fromSchema, unmetColumn } from "./schema.ts";
import type { StoreLocation } from "./storage.ts";

export type CatalogOptions = {
  readonly storageOptions?: Readonly<Record<string, string>> | undefined;
  readonly indexCacheBytes: number;
  readonly metadataCacheBytes: number;
};

/** A table as it was opened, and the id of the store it says it belongs to. */
export type OpenedTable = { readonly handle: LanceTable; readonly storeId: string };

const remoteStalenessSeconds = 5;

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
    await retry(this.#place(table.name), () => dropLostIndexes(table, handle), {
      refresh: () => handle.checkoutLatest(),
    });
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
    const isRemote = this.location.folder === undefined;
    if (isRemote) await proveExclusiveCommits(this.location, this.#connection);
    const known = await this.#tableNames();
    let storeId: string = randomUUID();
    for (const table of tables) {
      if (!known.has(table.name)) {
        await createTable(this.location, this.#connection, table, storeId);
      }
      // The first table decides the id, whoever made it.
      if (table === tables[0]) ({ storeId } = await this.open(table));
    }
    for (const table of tables) await this.#finishRenewal(table);
    if (!isRemote) return;
    for (const { name } of tables) await settle(await this.openAny(name));
  }

  close(): void {
    release(this.#connection);
  }

  async #finishRenewal(table: TableDeclaration): Promise<void> {
    const handle = await this.openAny(table.name);
    await finishRenewal(table, handle, this.location.uri);
    release(handle);
  }

  async #tableNames(): Promise<Set<string>> {
    return new Set(await retry(this.#place("catalog"), () => this.#connection.tableNames()));
  }

  #place(table: string): { readonly table: string; readonly location: string } {
    return { table, location: this.location.uri };
  }

  #refuse(table: TableDeclaration, reason: string): never {
    throw new StoreSchemaError(this.location.uri, table.name, reason);
  }
}
