import { join } from "node:path";
import type { Row } from "../declaration.ts";
import { createCaches } from "../engine/caches.ts";
import { StoreNotFoundError } from "../errors.ts";
import { Catalog } from "../storage/catalog.ts";
import { isMissing, parseLocation } from "../storage/storage.ts";
import type { StoreOptions } from "../store.ts";
import { type TableReading, type TableVerdict, verifyTable } from "./verify-table.ts";

/** What a {@link ContentCheck} found in one table. */
export type ContentVerdict = Pick<TableVerdict, "damages" | "uncheckedRows">;

/**
 * Checks whether rows that can be read are what was written. The engine cannot tell, because it
 * keeps no checksums. No row is given twice.
 */
export type ContentCheck = {
  /** Columns of the rows that it is given, by table. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Chooses the table whose rows are read next. */
  next(tables: readonly string[]): string | undefined;
  /** Takes the next rows of a table. */
  add(table: string, rows: readonly Row[]): void;
  /**
   * Returns what it found, by table, when there are no more rows.
   *
   * @param damaged - Tables of which not every row was given.
   */
  finish(damaged: ReadonlySet<string>): ReadonlyMap<string, ContentVerdict>;
};

/** Which store is read, and what stops the reading. */
export type VerifyOptions = Pick<StoreOptions, "tables" | "storageOptions"> & {
  readonly content?: ContentCheck;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Reads every row of every table and reports what cannot be read. It changes nothing, heals
 * nothing, and continues after damage: one table does not hide another, nor one fragment the next.
 * Bytes that changed into others that can still be read are found as far as `content` can tell.
 *
 * @throws {StoreNotFoundError} if there is no store.
 */
export async function verifyStore(
  location: string,
  { tables, storageOptions, content, signal }: VerifyOptions,
): Promise<TableVerdict[]> {
  const place = parseLocation(location);
  if (isMissing(place)) throw new StoreNotFoundError(place.uri);
  const options = { storageOptions, caches: createCaches(), stalenessMs: 0 };
  const catalog = await Catalog.connect(place, options);
  const readings = new Map<string, TableReading>();
  try {
    const datasets = await catalog.loadDatasets(tables);
    if (datasets.size === 0) throw new StoreNotFoundError(place.uri);
    // If not even that can be read, missing tables are reported as missing.
    const newer = await catalog.newerTables(tables).catch(() => new Set<string>());
    for (const table of tables.filter(({ name }) => !newer.has(name))) {
      const dataset = datasets.get(table.name);
      const home = place.folder && dataset && join(place.folder, `${dataset}.lance`);
      const columns = content?.columns[table.name];
      readings.set(
        table.name,
        verifyTable({ catalog, table, home, columns, signal, isThere: dataset !== undefined }),
      );
    }
    const { verdicts, given } = await readAll(readings, content);
    const notGiven = new Map<string, number>();
    for (const [name, { readableRows }] of verdicts) {
      const rows = readableRows - (given.get(name) ?? 0);
      if (content?.columns[name] && rows > 0) notGiven.set(name, rows);
    }
    const found = content?.finish(new Set([...tablesWithLostRows(verdicts), ...notGiven.keys()]));
    return tables.flatMap(({ name }) => {
      const verdict = verdicts.get(name);
      return verdict ? [withContent(verdict, found?.get(name), notGiven.get(name) ?? 0)] : [];
    });
  } finally {
    for (const reading of readings.values()) await reading.return(undefined as never);
    catalog.close();
  }
}

type ReadResult = {
  readonly verdicts: ReadonlyMap<string, TableVerdict>;
  /** How many rows of each table were given to the check. */
  readonly given: ReadonlyMap<string, number>;
};

async function readAll(
  readings: ReadonlyMap<string, TableReading>,
  content: ContentCheck | undefined,
): Promise<ReadResult> {
  const verdicts = new Map<string, TableVerdict>();
  const given = new Map<string, number>();
  const open = new Map(readings);
  for (;;) {
    const names = [...open.keys()];
    const name = content?.next(names) ?? names[0];
    const reading = name === undefined ? undefined : open.get(name);
    if (name === undefined || reading === undefined) return { verdicts, given };
    const { done, value } = await reading.next();
    if (done) {
      verdicts.set(name, value);
      open.delete(name);
    } else {
      content?.add(name, value);
      given.set(name, (given.get(name) ?? 0) + value.length);
    }
  }
}

function tablesWithLostRows(verdicts: ReadonlyMap<string, TableVerdict>): ReadonlySet<string> {
  const damaged = [...verdicts].filter(([, { damages }]) => damages.some(({ rows }) => rows !== 0));
  return new Set(damaged.map(([name]) => name));
}

function withContent(
  verdict: TableVerdict,
  found: ContentVerdict = { damages: [] },
  notGiven: number,
): TableVerdict {
  const uncheckedRows = (found.uncheckedRows ?? 0) + notGiven;
  const damages = [...verdict.damages, ...found.damages];
  return { ...verdict, damages, ...(uncheckedRows > 0 && { uncheckedRows }) };
}
