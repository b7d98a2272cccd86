import { Catalog } from "./catalog.ts";
import type { ColumnBatch, Row, TableDeclaration } from "./declaration.ts";
import { type Healing, healTable } from "./heal.ts";
import { DurableFolder, isMissing, locate } from "./storage.ts";
import { Table } from "./table.ts";

export type StoreOptions = {
  readonly tables: readonly TableDeclaration[];
  /** `write` makes what is missing; `read` (the default) never writes. */
  readonly mode?: "read" | "write";
  /** Credentials and endpoint of an object store, as Lance names them. */
  readonly storageOptions?: Readonly<Record<string, string>>;
  readonly indexCacheBytes?: number;
  readonly metadataCacheBytes?: number;
  /** Told of each manifest that had to be set aside. */
  readonly onHeal?: (healing: Healing) => void;
};

const defaults = {
  mode: "read",
  indexCacheBytes: 256 * 1024 * 1024,
  metadataCacheBytes: 128 * 1024 * 1024,
} as const;

/** An open store: a folder or a bucket prefix with the tables a consumer declared. */
export class Store {
  /** Made at creation and kept in the store; names what is remembered about it elsewhere. */
  readonly id: string;
  readonly location: string;
  readonly #catalog: Catalog;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #durable: DurableFolder | undefined;

  constructor(id: string, catalog: Catalog, tables: ReadonlyMap<string, Table>) {
    const { uri, folder } = catalog.location;
    this.id = id;
    this.location = uri;
    this.#catalog = catalog;
    this.#tables = tables;
    this.#durable = folder === undefined ? undefined : new DurableFolder(folder);
  }

  /** A declared table. @throws {TypeError} for any other name. */
  table(name: string): Table {
    const table = this.#tables.get(name);
    if (table === undefined) throw new TypeError(`no table "${name}" was declared`);
    return table;
  }

  /** Resolves when what was written so far survives a power cut. Call before acknowledging. */
  async flush(): Promise<void> {
    this.#durable?.flush();
  }

  close(): void {
    for (const table of this.#tables.values()) table.close();
    this.#catalog.close();
  }
}

/**
 * Opens a store.
 *
 * @throws {StoreNotFoundError} in mode `read` where a table is missing.
 * @throws {StoreSchemaError} where a newer version of the consumer wrote it.
 * @throws {StorageUnavailableError} after every retry failed.
 */
export async function openStore(location: string, options: StoreOptions): Promise<Store> {
  const { tables, mode, storageOptions, ...caches } = { ...defaults, ...options };
  const place = locate(location);
  const catalogOptions = { storageOptions, ...caches };
  if (mode === "read" && isMissing(place))
    throw (await Catalog.connect(place, catalogOptions)).missing();
  const catalog = await Catalog.connect(place, catalogOptions);
  for (const { name } of tables) {
    for (const healing of healTable(place, name)) options.onHeal?.(healing);
  }
  if (mode === "write") await catalog.create(tables);
  else {
    const names = new Set(await catalog.tableNames());
    if (tables.some(({ name }) => !names.has(name))) throw catalog.missing();
  }
  const opened = await Promise.all(tables.map((table) => catalog.open(table)));
  const byName = new Map<string, Table>();
  for (const [index, table] of tables.entries()) {
    const handle = opened[index]?.handle;
    if (handle) byName.set(table.name, new Table(table, handle, place.uri));
  }
  return new Store(opened[0]?.storeId ?? "", catalog, byName);
}

const copyBytes = 32 * 1024 * 1024;

/**
 * Copies every row of `from` into `to` by insert-if-absent: compact, without indexes, repeatable.
 *
 * @returns Rows that were new in `to`, by table.
 */
export async function copyStore(
  from: Store,
  to: Store,
  tables: readonly TableDeclaration[],
): Promise<Readonly<Record<string, number>>> {
  const copied: Record<string, number> = {};
  for (const table of tables) {
    const columns = Object.keys(table.columns);
    let rows: Row[] = [];
    let bytes = 0;
    copied[table.name] = 0;
    const write = async (): Promise<void> => {
      const { inserted } = await to.table(table.name).insert(toColumns(columns, rows));
      copied[table.name] = (copied[table.name] ?? 0) + inserted;
      rows = [];
      bytes = 0;
    };
    for await (const batch of from.table(table.name).scan({ columns })) {
      for (const row of batch) {
        rows.push(row);
        for (const cell of Object.values(row)) bytes += typeof cell === "string" ? cell.length : 8;
      }
      if (bytes > copyBytes) await write();
    }
    if (rows.length > 0) await write();
  }
  await to.flush();
  return copied;
}

function toColumns(columns: readonly string[], rows: readonly Row[]): ColumnBatch {
  return Object.fromEntries(columns.map((name) => [name, rows.map((row) => row[name] ?? null)]));
}
