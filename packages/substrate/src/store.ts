import { join } from "node:path";
import type { TableDeclaration } from "./declaration.ts";
import { declarationProblem } from "./declaration-problem.ts";
import { type Caches, createCaches } from "./engine/caches.ts";
import { retry } from "./engine/retry.ts";
import { StoreNotFoundError, StoreSchemaError } from "./errors.ts";
import { missingTextIndexes } from "./indexes/text-indexes.ts";
import { type Healing, healTable } from "./integrity/heal.ts";
import { Catalog, type OpenedTable } from "./storage/catalog.ts";
import { DurableFolder, isMissing, lockFile, parseLocation } from "./storage/storage.ts";
import { Table } from "./table.ts";
import { KeyCache } from "./write/key-cache.ts";
import type { Exclusive } from "./write/write.ts";
import { canLock, WriterLock } from "./write/writer-lock.ts";

/** Which tables a store has, and how they are opened. */
export type StoreOptions = {
  /** The tables of the consumer. The first one carries the store's id. */
  readonly tables: readonly TableDeclaration[];
  /**
   * `write` makes what is missing. `read` (the default) writes nothing, except for a healing, and
   * its tables take no rows.
   */
  readonly mode?: "read" | "write";
  /** Credentials and endpoint of an object store, under the names that Lance uses. */
  readonly storageOptions?: Readonly<Record<string, string>>;
  /** Caches shared with other stores; otherwise the store has its own. */
  readonly caches?: Caches;
  /**
   * For how long a read may miss what another process wrote, in milliseconds. Default: 0 for a
   * folder and 5000 for an object store, where every check costs a request.
   */
  readonly stalenessMs?: number;
  /** Called for each manifest that had to be set aside. Report it prominently. */
  readonly onHeal?: (healing: Healing) => void;
  /**
   * Called for each full-text index that is missing and would take long to make now. Until the next
   * fold, that column is searched by another tokenizer, which finds other rows and no phrases.
   */
  readonly onMissingIndex?: (index: { readonly table: string; readonly column: string }) => void;
  /**
   * False if nobody could be told: a torn table then stays as it is, and may not open. Default:
   * true.
   */
  readonly heals?: boolean;
};

// `lance-handle-freshness`: reading a local manifest again costs microseconds.
const localStalenessMs = 0;
const remoteStalenessMs = 5_000;

export type StoreInit = {
  readonly id: string;
  readonly catalog: Catalog;
  readonly tables: readonly Table[];
  readonly flush: () => Promise<void>;
  /** See {@link Store.proveWritable}. */
  readonly proveWritable: () => Promise<void>;
};

/** An open store: a folder or a bucket prefix with the tables that a consumer declared. */
export class Store {
  /**
   * Made at creation and kept in the store. Use it to identify the store in what is remembered
   * elsewhere.
   */
  readonly id: string;
  readonly location: string;
  readonly #catalog: Catalog;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #flush: () => Promise<void>;
  readonly #proveWritable: () => Promise<void>;

  constructor({ id, catalog, tables, flush, proveWritable }: StoreInit) {
    this.id = id;
    this.location = catalog.location.uri;
    this.#catalog = catalog;
    this.#tables = new Map(tables.map((table) => [table.declaration.name, table]));
    this.#flush = flush;
    this.#proveWritable = proveWritable;
  }

  /** A declared table. @throws {TypeError} for any other name. */
  table(name: string): Table {
    const table = this.#tables.get(name);
    if (table === undefined) throw new TypeError(`no table "${name}" was declared`);
    return table;
  }

  /**
   * Makes everything visible that others have committed by now. Call it before you write something
   * that depends on what is stored: reads of an object store may lag by seconds.
   */
  async refresh(): Promise<void> {
    await Promise.all([...this.#tables.values()].map((table) => table.refresh()));
  }

  /**
   * Proves that the place keeps what is written: each of several concurrent writers either succeeds
   * visibly or is told that it failed. Nothing is written before that is proven, which happens when
   * it is first needed. For an object store it takes about 200 requests, once in a process; a
   * folder needs none.
   *
   * @throws {StorageUnavailableError} for an object store that would lose commits.
   */
  proveWritable(): Promise<void> {
    return this.#proveWritable();
  }

  /**
   * Resolves when everything written so far survives a power cut. Call it before you acknowledge.
   */
  flush(): Promise<void> {
    return this.#flush();
  }

  /** Closes every table. Reads still in progress fail. */
  close(): void {
    for (const table of this.#tables.values()) table.close();
    this.#catalog.close();
  }
}

/**
 * Opens a store.
 *
 * @throws {StoreNotFoundError} in mode `read` if there is no store.
 * @throws {StoreSchemaError} if a newer version of the consumer wrote it, and for tables that
 *   cannot be made as they are declared: nothing is made then.
 * @throws {StorageUnavailableError} after every retry failed, for a place that can hold no store, and
 *   if tables have to be made in an object store that would lose commits
 *   ({@link Store.proveWritable}).
 * @throws {TypeError} for an unknown mode, no location, storage options that are not text, and a
 *   `stalenessMs` that is not a number of milliseconds.
 * @throws {Error} on a Node older than 22.18, before anything is made.
 */
export async function openStore(location: string, options: StoreOptions): Promise<Store> {
  refuseOldNode();
  const { tables, mode = "read", storageOptions, onHeal, onMissingIndex, heals = true } = options;
  validateOptions(options);
  const place = parseLocation(location);
  const { caches = createCaches() } = options;
  for (const [at, table] of tables.entries()) {
    const isTwice = tables.findIndex(({ name }) => name === table.name) < at;
    const problem = isTwice ? "it is declared twice" : declarationProblem(table);
    if (problem !== undefined) throw new StoreSchemaError(place.uri, table.name, problem);
  }
  const isLocal = place.folder !== undefined;
  const { stalenessMs = isLocal ? localStalenessMs : remoteStalenessMs } = options;
  // Checked first, because connecting makes the folder.
  const isNew = isMissing(place);
  if (mode === "read" && isNew) throw new StoreNotFoundError(place.uri);
  const durable = place.folder === undefined ? undefined : new DurableFolder(place.folder);
  const flush = async (): Promise<void> => durable?.flush();
  const catalog = await Catalog.connect(place, { storageOptions, caches, stalenessMs });
  const proveWritable = (): Promise<void> => catalog.proveWritable();
  try {
    if (place.folder !== undefined && heals) {
      const datasets = await catalog.loadDatasets(tables);
      for (const table of tables) {
        const openTable = () => catalog.openAny(table.name);
        const dataset = datasets.get(table.name) ?? table.name;
        const declared = { ...table, name: dataset };
        const isWriting = mode === "write";
        const healings = await healTable(place.folder, declared, { openTable, isWriting });
        for (const healing of healings) onHeal?.({ ...healing, table: table.name });
      }
    }
    await (mode === "write" ? catalog.create(tables) : catalog.requireAll(tables));
    const opened = await Promise.all(
      tables.map(async (declaration) => ({ declaration, ...(await catalog.open(declaration)) })),
    );
    if (onMissingIndex) await reportMissingIndexes(place.uri, opened, onMissingIndex);
    return new Store({
      id: opened[0]?.storeId ?? "",
      catalog,
      tables: opened.map((table) => {
        const isExclusive = place.folder !== undefined && canLock(table.uri);
        const exclusive = isExclusive ? exclusiveOf(catalog, table) : undefined;
        const open = () => catalog.openAny(table.declaration.name);
        const init = { location: place.uri, mode, flush, proveWritable, open, exclusive };
        return new Table({ ...table, ...init });
      }),
      flush,
      proveWritable,
    });
  } catch (error) {
    catalog.close();
    throw error;
  }
}

/**
 * Otherwise a missing feature would show in the middle of a write, and look like a fault of the
 * storage.
 */
function refuseOldNode(): void {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(process.version) ?? [];
  if (Number(major) * 1000 + Number(minor) >= 22_018) return;
  throw new Error(`a store needs Node 22.18 or later; this is ${process.version}`);
}

function validateOptions(options: StoreOptions): void {
  const { mode = "read", storageOptions = {}, stalenessMs = 0 } = options;
  if (mode !== "read" && mode !== "write") throw new TypeError(`no mode is called "${mode}"`);
  // The engine would panic over it, which looks like a damaged store.
  if (!(stalenessMs >= 0 && stalenessMs <= Number.MAX_SAFE_INTEGER)) {
    throw new TypeError(`stalenessMs: ${stalenessMs} is not a number of milliseconds`);
  }
  for (const [name, value] of Object.entries(storageOptions)) {
    // Undefined counts as left out. Any other value may be a secret, and is not repeated.
    if (value === undefined || typeof value === "string") continue;
    throw new TypeError(`storageOptions.${name} is not a string`);
  }
}

type Opened = OpenedTable & { readonly declaration: TableDeclaration };

async function reportMissingIndexes(
  location: string,
  tables: readonly Opened[],
  report: NonNullable<StoreOptions["onMissingIndex"]>,
): Promise<void> {
  for (const { declaration, handle, absent } of tables) {
    const place = { table: declaration.name, location };
    for (const { column } of await retry(place, () => missingTextIndexes(declaration, handle))) {
      // As long as there is no column, nothing is searched.
      if (!absent.includes(column)) report({ table: declaration.name, column });
    }
  }
}

function exclusiveOf(
  catalog: Catalog,
  { declaration: table, handle, uri: home }: Opened,
): Exclusive {
  const place = { table: table.name, location: catalog.location.uri };
  const open = () => catalog.openAny(table.name);
  return {
    lock: new WriterLock(join(home, lockFile), place),
    keys: new KeyCache({ table, handle, home, open }),
  };
}
