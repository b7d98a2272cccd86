import type { Table as LanceTable } from "@lancedb/lancedb";
import type { Cell, ColumnBatch, ColumnType, TableDeclaration } from "../declaration.ts";
import { release } from "../engine/lance.ts";
import { type Filter, type FilterValue, oneOf } from "../read/filter.ts";
import { rowsOf, scanQuery } from "../read/read.ts";
import { keyAt } from "../rows/batch.ts";

const valuesPerQuery = 500;

/**
 * Which keys are stored, for a writer that keeps all others out while it asks and adds. It reads the
 * keys that begin with the same value as one of a batch, by the index of that column, so that what
 * this costs follows the batch and not the table.
 *
 * No index covers rows added since the last fold, and a first import adds millions. But where nobody
 * else has committed since, they are its own: it remembers with which values their keys begin, and
 * asks for all others in the version it found.
 */
export class KnownKeys {
  readonly #table: TableDeclaration;
  readonly #handle: LanceTable;
  readonly #open: () => Promise<LanceTable>;
  /** The version that what is remembered holds for: the last of its own commits. */
  #version: number | undefined;
  /** Another handle, of the version it found. */
  #found: LanceTable | undefined;
  /** What the keys of rows begin with that were added since. */
  readonly #added: Set<string> = new Set();
  /** All keys that begin with a value of the last batch: the next one often goes on there. */
  #recent: ReadonlyMap<string, Set<string>> = new Map();

  /** @param open - Opens another handle of the same table. */
  constructor(table: TableDeclaration, handle: LanceTable, open: () => Promise<LanceTable>) {
    this.#table = table;
    this.#handle = handle;
    this.#open = open;
  }

  /** Numbers of the rows whose key is not stored. */
  async missing(batch: ColumnBatch): Promise<number[]> {
    await this.#handle.checkoutLatest();
    const version = await this.#handle.version();
    const found =
      this.#found && version === this.#version ? this.#found : await this.#begin(version);
    const keys = this.#keysOf(batch);
    const cells = keys[0] ?? [];
    const recent = new Map<string, Set<string>>();
    const ofOthers: Cell[] = [];
    const ofItsOwn: Cell[] = [];
    for (let row = 0; row < cells.length; row++) {
      const cell = cells.at(row) ?? null;
      const first = String(cell);
      if (recent.has(first)) continue;
      const known = this.#recent.get(first);
      recent.set(first, known ?? new Set());
      if (known === undefined) (this.#added.has(first) ? ofItsOwn : ofOthers).push(cell);
    }
    await this.#read(found, ofOthers, recent);
    await this.#read(this.#handle, ofItsOwn, recent);
    this.#recent = recent;
    const rows = [...new Array<unknown>(cells.length).keys()];
    return rows.filter((row) => !recent.get(String(cells.at(row)))?.has(keyAt(keys, row)));
  }

  /** Told of a commit that added rows which were missing just before. */
  added(batch: ColumnBatch, version: number): void {
    // Others do not add rows, but may have folded the table just now.
    const isNext = this.#version !== undefined && version === this.#version + 1;
    this.#version = isNext ? version : undefined;
    const keys = this.#keysOf(batch);
    const cells = keys[0] ?? [];
    for (let row = 0; row < cells.length; row++) {
      const first = String(cells.at(row));
      this.#added.add(first);
      this.#recent.get(first)?.add(keyAt(keys, row));
    }
  }

  close(): void {
    if (this.#found) release(this.#found);
    this.#found = undefined;
  }

  /** Forgets all, and starts from a version. */
  async #begin(version: number): Promise<LanceTable> {
    this.close();
    this.#added.clear();
    this.#recent = new Map();
    this.#version = version;
    const found = await this.#open();
    this.#found = found;
    await found.checkout(version);
    return found;
  }

  /** Adds the stored keys that begin with one of the cells. */
  async #read(
    handle: LanceTable,
    cells: readonly Cell[],
    keys: ReadonlyMap<string, Set<string>>,
  ): Promise<void> {
    const columns = this.#table.primaryKey;
    for (const where of this.#filters(cells)) {
      for await (const rows of rowsOf(scanQuery(handle, { columns, where }))) {
        const stored = columns.map((name) => rows.map((row) => row[name] ?? null));
        for (let row = 0; row < rows.length; row++) {
          keys.get(String(stored[0]?.[row]))?.add(keyAt(stored, row));
        }
      }
    }
  }

  /** Conditions that together take every row whose key begins with one of the cells. */
  *#filters(cells: readonly Cell[]): Generator<Filter | undefined> {
    const column = this.#table.primaryKey[0] ?? "";
    const type = this.#table.columns[column]?.type;
    const values = cells.flatMap((cell) => literalOf(cell, type) ?? []);
    if (values.length < cells.length) return yield undefined;
    for (let from = 0; from < values.length; from += valuesPerQuery) {
      yield oneOf(column, values.slice(from, from + valuesPerQuery));
    }
  }

  #keysOf(batch: ColumnBatch) {
    return this.#table.primaryKey.map((name) => batch[name] ?? []);
  }
}

/** Undefined for what SQL has no exact literal for. */
function literalOf(cell: Cell, type: ColumnType | undefined): FilterValue | undefined {
  if (type === "text" && typeof cell === "string") return cell;
  if (type === "int64" && typeof cell === "bigint") return cell;
  if (type === "timestamp" && typeof cell === "bigint") return { micros: cell };
  return undefined;
}
