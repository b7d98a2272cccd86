import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import type { Connection, Table as LanceTable, Session } from "@lancedb/lancedb";
import { storeIdKey, toSchema, versionKey } from "./arrow.ts";
import type { TableDeclaration } from "./declaration.ts";
import { StoreNotFoundError, StoreSchemaError } from "./errors.ts";
import { retry } from "./retry.ts";
import type { StoreLocation } from "./storage.ts";

type Lance = typeof import("@lancedb/lancedb");

let lance: Lance | undefined;

/** The native engine, loaded when the first store is opened: it takes 0.1 s. */
export function loadLance(): Lance {
  // Its warnings go to stderr otherwise, also for ordinary use.
  process.env["LANCEDB_LOG"] ??= "error";
  lance ??= createRequire(import.meta.url)("@lancedb/lancedb") as Lance;
  return lance;
}

export type CatalogOptions = {
  readonly storageOptions?: Readonly<Record<string, string>> | undefined;
  readonly indexCacheBytes: number;
  readonly metadataCacheBytes: number;
};

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
    const { connect, Session: SessionOf } = loadLance();
    // One pool of caches for all tables (spec 3.4).
    const session: Session = new SessionOf(
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

  tableNames(): Promise<string[]> {
    return retry(this.#place("catalog"), () => this.#connection.tableNames());
  }

  /** Opens a table and proves that this version may use it. */
  async open(table: TableDeclaration): Promise<{ handle: LanceTable; storeId: string }> {
    const handle = await retry(this.#place(table.name), () =>
      this.#connection.openTable(table.name),
    );
    const schema = await handle.schema();
    const metadata = schema.fields.find(({ name }) => name === table.primaryKey[0])?.metadata;
    const version = Number(metadata?.get(versionKey) ?? Number.NaN);
    const storeId = metadata?.get(storeIdKey);
    if (Number.isNaN(version) || storeId === undefined) this.#refuse(table, "not made by pond");
    if (version > table.schemaVersion) {
      this.#refuse(
        table,
        `schema version ${version} is newer than ${table.schemaVersion}; update pond to open it`,
      );
    }
    const missing = Object.keys(table.columns).find(
      (name) => !schema.fields.some((field) => field.name === name),
    );
    if (missing !== undefined) this.#refuse(table, `no column "${missing}"`);
    return { handle, storeId };
  }

  /** Creates what is missing of `tables` (`lance-table-creation`); others may do so at once. */
  async create(tables: readonly TableDeclaration[]): Promise<void> {
    const known = new Set(await this.tableNames());
    let storeId: string = randomUUID();
    for (const table of tables) {
      if (!known.has(table.name)) await this.#create(table, storeId);
      // The first table decides the id, whoever made it.
      if (table === tables[0]) ({ storeId } = await this.open(table));
    }
  }

  missing(): StoreNotFoundError {
    return new StoreNotFoundError(this.location.uri);
  }

  close(): void {
    this.#connection.close();
  }

  async #create(table: TableDeclaration, storeId: string): Promise<void> {
    try {
      await retry(this.#place(table.name), () =>
        this.#connection.createEmptyTable(table.name, toSchema(table, storeId), {
          storageOptions: {
            ...{ new_table_data_storage_version: "2.2", new_table_enable_stable_row_ids: "true" },
          },
        }),
      );
    } catch (error) {
      // Another process was faster: its table is as good.
      if (!(error instanceof Error && /already exists/i.test(error.message))) throw error;
    }
  }

  #place(table: string): { readonly table: string; readonly location: string } {
    return { table, location: this.location.uri };
  }

  #refuse(table: TableDeclaration, reason: string): never {
    throw new StoreSchemaError(this.location.uri, table.name, reason);
  }
}
