import { statSync } from "node:fs";
import type { Table as LanceTable } from "@lancedb/lancedb";
import type { Cell, Cells, ColumnBatch, ColumnType, TableDeclaration } from "../declaration.ts";
import { release } from "../engine/lance.ts";
import { manifestAt } from "../manifest-names.ts";
import { type Filter, type FilterValue, oneOf } from "../read/filter.ts";
import { rowsOf, scanQuery } from "../read/read.ts";
import { keyAt, keyText } from "../rows/batch.ts";
import { HashSet } from "./hash-set.ts";

export type KeyCacheInit = {
  readonly table: TableDeclaration;
  readonly handle: LanceTable;
  /** The folder of the table. */
  readonly home: string;
  /** Opens another handle of the same table. */
  readonly open: () => Promise<LanceTable>;
};

// Each query may have to read all rows outside of the index; a query for more values is slow to
// plan.
const valuesPerQuery = 5_000;
// Each key takes some hundred bytes, there are four tables, and garbage collections copy what is
// kept for long. The keys of a session that continues in the next batch are kept, however many.
const maxRecentKeys = 4_000;

/**
 * Tells which keys are stored, for a writer that keeps all others out while it asks and adds. It
 * reads the keys that begin with the same value as one of a batch, by the index of that column. So
 * the cost depends on the number of these keys, not on that of the table.
 *
 * No index covers rows added since the last fold, and a first import adds millions. But as long as
 * nobody else has committed since, they are its own: it remembers the values with which their keys
 * begin, and asks for all others in the version it found.
 */
export class KeyCache {
  readonly #init: KeyCacheInit;
  /** What is remembered holds for this version: the last of its own commits. */
  #version: Version | undefined;
  /** Another handle, at the version it found. */
  #snapshot: LanceTable | undefined;
  /**
   * Hashes of the first key values of rows added since. The texts would be kept for as long as the
   * process adds rows. If two values have the same hash, both are asked for in the newest version.
   */
  readonly #added = new HashSet();
  /**
   * The rest of all keys that begin with a value, by that value; the one used last is at the end.
   */
  readonly #recent: Map<string, Set<string>> = new Map();

  constructor(init: KeyCacheInit) {
    this.#init = init;
  }

  /** Returns the numbers of the rows whose key is not stored. */
  async missingRows(batch: ColumnBatch): Promise<number[]> {
    const found = await this.#current();
    const keys = this.#keysOf(batch);
    const uncached = this.#uncached(new Set(rowsIn(keys).map((row) => keys[0]?.at(row) ?? null)));
    const isAdded = (cell: Cell): boolean => this.#added.has(hashOf(keyText(cell)));
    try {
      await this.#read(
        found,
        uncached.filter((cell) => !isAdded(cell)),
      );
      await this.#read(this.#init.handle, uncached.filter(isAdded));
    } catch (error) {
      // The remembered keys may be incomplete now.
      this.#version = undefined;
      throw error;
    }
    const rest = keys.slice(1);
    return rowsIn(keys).filter(
      (row) => !this.#recent.get(firstKeyText(keys, row))?.has(keyAt(rest, row)),
    );
  }

  /** Has to be called with the version in which rows were added that were missing just before. */
  recordAdded(batch: ColumnBatch, version: number): void {
    const fingerprint = fingerprintOf(this.#init.home, version);
    // Others add no rows in the meantime, but may have folded the table.
    const isNext = this.#version !== undefined && version === this.#version.number + 1;
    this.#version =
      isNext && fingerprint !== undefined ? { number: version, fingerprint } : undefined;
    const keys = this.#keysOf(batch);
    const rest = keys.slice(1);
    for (const row of rowsIn(keys)) {
      const first = firstKeyText(keys, row);
      this.#added.add(hashOf(first));
      this.#recent.get(first)?.add(keyAt(rest, row));
    }
  }

  close(): void {
    if (this.#snapshot) release(this.#snapshot);
    this.#snapshot = undefined;
  }

  /** The handle at the version it found; a new one if others have committed. */
  async #current(): Promise<LanceTable> {
    const { handle, home, open } = this.#init;
    await handle.checkoutLatest();
    const number = await handle.version();
    const fingerprint = fingerprintOf(home, number);
    const known = this.#version;
    const isSame = known?.number === number && known.fingerprint === fingerprint;
    if (this.#snapshot && fingerprint && isSame) return this.#snapshot;
    this.close();
    this.#added.clear();
    this.#recent.clear();
    this.#version = undefined;
    const found = await open();
    this.#snapshot = found;
    await found.checkout(number);
    if (fingerprint !== undefined) this.#version = { number, fingerprint };
    return found;
  }

  /**
   * The values whose keys are not remembered. If too much is remembered, the least recently used is
   * dropped.
   */
  #uncached(cells: ReadonlySet<Cell>): Cell[] {
    const uncached: Cell[] = [];
    const used = new Map<string, Set<string>>();
    for (const cell of cells) {
      const keys = this.#recent.get(keyText(cell));
      if (keys === undefined) uncached.push(cell);
      else used.set(keyText(cell), keys);
      this.#recent.delete(keyText(cell));
    }
    let count = 0;
    for (const keys of [...this.#recent.values(), ...used.values()]) count += keys.size;
    for (const [first, keys] of this.#recent) {
      if (count <= maxRecentKeys) break;
      this.#recent.delete(first);
      count -= keys.size;
    }
    for (const [first, keys] of used) this.#recent.set(first, keys);
    return uncached;
  }

  /** Remembers all stored keys that begin with one of the values. */
  async #read(handle: LanceTable, cells: readonly Cell[]): Promise<void> {
    for (const cell of cells) this.#recent.set(keyText(cell), new Set());
    for (let from = 0; from < cells.length; from += valuesPerQuery) {
      const where = this.#beginsWith(cells.slice(from, from + valuesPerQuery));
      for await (const keys of this.#storedKeys(handle, where)) {
        const rest = keys.slice(1);
        for (const row of rowsIn(keys)) {
          this.#recent.get(firstKeyText(keys, row))?.add(keyAt(rest, row));
        }
      }
    }
  }

  /** The key columns of the rows that meet a condition. */
  async *#storedKeys(handle: LanceTable, where: Filter | undefined): AsyncGenerator<Cells[]> {
    const { table } = this.#init;
    const columns = table.primaryKey;
    for await (const rows of rowsOf(table, scanQuery(table, handle, { columns, where }))) {
      yield columns.map((name) => rows.map((row) => row[name] ?? null));
    }
  }

  /** Undefined, which means every row, if SQL has no exact literal for one of them. */
  #beginsWith(cells: readonly Cell[]): Filter | undefined {
    const column = this.#init.table.primaryKey[0] ?? "";
    const type = this.#init.table.columns[column]?.type;
    const values = cells.flatMap((cell) => literalOf(cell, type) ?? []);
    return values.length < cells.length ? undefined : oneOf(column, values);
  }

  #keysOf(batch: ColumnBatch): Cells[] {
    return this.#init.table.primaryKey.map((name) => batch[name] ?? []);
  }
}

/**
 * A version, and a fingerprint that tells its manifest from another one of that number, which a
 * restored backup can bring.
 */
type Version = { readonly number: number; readonly fingerprint: string };

/** Undefined if there is no such manifest. */
function fingerprintOf(home: string, version: number): string | undefined {
  const path = manifestAt(home, version);
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

function rowsIn(keys: readonly Cells[]): number[] {
  return [...new Array<unknown>(keys[0]?.length ?? 0).keys()];
}

function firstKeyText(keys: readonly Cells[], row: number): string {
  return keyText(keys[0]?.at(row) ?? null);
}

/** FNV-1a over UTF-16 code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** Undefined for a value for which SQL has no exact literal. */
function literalOf(cell: Cell, type: ColumnType | undefined): FilterValue | undefined {
  if (type === "text" && typeof cell === "string") return cell;
  if (type === "int64" && typeof cell === "bigint") return cell;
  return undefined;
}
