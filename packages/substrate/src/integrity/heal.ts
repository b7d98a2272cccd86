import { existsSync } from "node:fs";
import { readdir, rename, stat } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";
import type { Table as LanceTable } from "@lancedb/lancedb";
import type { TableDeclaration } from "../declaration.ts";
import { columnsWithNulls } from "../engine/schema.ts";
import { StorageUnavailableError } from "../errors.ts";
import { dropIfExists } from "../indexes/lost-indexes.ts";
import { isManifest, versionOf, versionsFolder } from "../manifest-names.ts";
import { batchesOf, toSelection } from "../read/with-nulls.ts";
import { isFileNotFound } from "../storage/storage.ts";
import { type NamedIndex, namedFiles } from "./manifest-files.ts";
import { hasFooter, isTorn } from "./torn-files.ts";

/** A manifest that could not be read, or a table without one, and where it was set aside. */
export type Healing = { readonly table: string; readonly movedTo: string };

export type HealOptions = {
  /** Opens the newest version of the table. */
  readonly openTable: () => Promise<LanceTable>;
  /**
   * True if the table is opened for writing. An index that lost a file is then dropped, because
   * with it not even that index could be made again.
   */
  readonly isWriting?: boolean;
  /**
   * Nothing written after this time can have been torn by a power cut. Default: when the system
   * started.
   */
  readonly bootedAtMs?: number;
};

// The system writes files to disk within half a minute. So only what was younger than this when the
// power went, counted from the newest manifest, can be torn.
const writeBackMs = 120_000;
// The clock of the file system and the one read here differ a little.
const clockToleranceMs = 2_000;

/**
 * Sets aside the newest manifests of a local table if a power cut left them torn, or they name torn
 * files, so that the newest whole version opens. Nothing is deleted: `.broken` is appended to a
 * manifest's name. What {@link Store.flush} acknowledged is never among them, unless the manifest
 * itself is torn and the table would not open at all. Other damage of a disk stays as it is, and
 * shows when it is read.
 *
 * @throws {StorageUnavailableError} for files that the system does not let us read.
 */
export async function healTable(
  folder: string,
  table: TableDeclaration,
  options: HealOptions,
): Promise<Healing[]> {
  const healings: Healing[] = [];
  for (let left = maxAttempts; ; left -= 1) {
    try {
      await healNewest(folder, table, options, healings);
      return healings;
    } catch (error) {
      // Another process has folded the table and cleaned away what was the newest version a moment
      // ago.
      if (isFileNotFound(error) && left > 1) continue;
      if (!(error instanceof Error && "syscall" in error)) throw error;
      throw new StorageUnavailableError(folder, error.message, { cause: error });
    }
  }
}

const maxAttempts = 5;

async function healNewest(
  folder: string,
  declaration: TableDeclaration,
  { openTable, isWriting = false, bootedAtMs = Date.now() - uptime() * 1000 }: HealOptions,
  healings: Healing[],
): Promise<void> {
  const { name: table } = declaration;
  const home = join(folder, `${table}.lance`);
  const manifests = await manifestsOf(home);
  const broken: string[] = [];
  for (const path of manifests) {
    if (await hasFooter(path)) break;
    broken.push(path);
  }
  const newest = manifests[broken.length];
  if (newest === undefined) {
    if (broken.length === 0) {
      healings.push(...(await setAsideUnfinished(home, table)));
      return;
    }
    throw new StorageUnavailableError(folder, `no version of table ${table} can be read`);
  }
  healings.push(...(await setAside(home, table, broken)));
  const writtenMs = (await stat(newest)).mtimeMs;
  // A machine without a clock of its own starts in the past, until it is told the time.
  const isClockBehind = writtenMs > Date.now() + clockToleranceMs;
  const mayBeTorn = writtenMs <= bootedAtMs || isClockBehind;
  if (!mayBeTorn && !isWriting) return;
  const whole = manifests.slice(broken.length);
  const sinceMs = mayBeTorn ? writtenMs - writeBackMs : Number.POSITIVE_INFINITY;
  if (mayBeTorn && (await mayHaveTornRows(home, newest, sinceMs))) {
    // Only reading tells: the engine may not need what looks torn.
    const unreadable = await unreadableManifests(
      { folder, declaration, sinceMs, openTable },
      whole,
    );
    whole.splice(0, unreadable.length);
    healings.push(...(await setAside(home, table, unreadable)));
  }
  // The engine reads each old one to remove what only that one names; on a torn one it would fail
  // for ever.
  if (mayBeTorn)
    healings.push(...(await setAside(home, table, await tornManifests(whole, sinceMs))));
  const left = whole[0] ?? newest;
  const lost = await lostIndexes(home, left, sinceMs);
  // If a version is no longer the newest, another process may have cleaned files of it away.
  if (lost.size > 0 && (await manifestsOf(home))[0] === left) {
    const handle = await openTable();
    // Indexes are made from the rows, so the next fold makes them again.
    for (const name of lost) await dropIfExists(handle, name);
    handle.close();
  }
}

/** The manifests that a power cut left without their end. */
async function tornManifests(manifests: readonly string[], sinceMs: number): Promise<string[]> {
  const torn: string[] = [];
  for (const path of manifests) {
    if ((await stat(path)).mtimeMs >= sinceMs && !(await hasFooter(path))) torn.push(path);
  }
  return torn;
}

/** True if a power cut may have taken rows of a version. */
async function mayHaveTornRows(home: string, manifest: string, sinceMs: number): Promise<boolean> {
  try {
    const { fragments } = await namedFiles(home, manifest);
    for (const files of fragments.values()) {
      for (const file of files) if (await isTorn(file, sinceMs)) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}

/**
 * Names of indexes for which a version names a file that is torn or missing. The engine notices
 * only when it needs that file, and then cannot even make the index again.
 */
async function lostIndexes(
  home: string,
  manifest: string,
  sinceMs: number,
): Promise<ReadonlySet<string>> {
  const lost = new Set<string>();
  for (const { name, files } of await indexesOf(home, manifest)) {
    for (const file of files) {
      if (!lost.has(name) && (await isTorn(file, sinceMs))) lost.add(name);
    }
  }
  return lost;
}

async function indexesOf(home: string, manifest: string): Promise<readonly NamedIndex[]> {
  try {
    return (await namedFiles(home, manifest)).indexes;
  } catch (error) {
    // It can be read all the same: another version of the engine wrote it.
    if (error instanceof RangeError) return [];
    throw error;
  }
}

type ManifestReader = Pick<HealOptions, "openTable"> & {
  readonly folder: string;
  readonly declaration: TableDeclaration;
  /** What was written earlier was on the disk when the power went. */
  readonly sinceMs: number;
};

/**
 * The manifests before the first version that can be read. None if one of them was written long
 * before the power cut: then the cut is not the cause, and going back behind it would hide
 * acknowledged rows.
 */
async function unreadableManifests(
  { folder, declaration, sinceMs, openTable }: ManifestReader,
  manifests: readonly string[],
): Promise<readonly string[]> {
  const handle = await openTable();
  try {
    for (const [count, path] of manifests.entries()) {
      // A torn manifest may come after a whole one; one of zeros reads as an empty table.
      if ((await hasFooter(path)) && (await isReadable(declaration, handle, versionOf(path)))) {
        return manifests.slice(0, count);
      }
      if ((await stat(path)).mtimeMs < sinceMs) return [];
    }
  } finally {
    handle.close();
  }
  throw new StorageUnavailableError(folder, `no version of table ${declaration.name} can be read`);
}

/** A table whose folder survived the power cut without any version is made anew. */
async function setAsideUnfinished(home: string, table: string): Promise<Healing[]> {
  // Checked again, and the folder first: another process may move its new table here at any moment,
  // together with its versions.
  if (!existsSync(home) || (await hasVersion(home))) return [];
  const path = await renameAside(home);
  if (path === undefined) return [];
  if (await hasVersion(path)) {
    // Another process has healed it in the meantime, and this is the table that it made.
    await rename(path, home);
    return [];
  }
  return [{ table, movedTo: path }];
}

async function hasVersion(home: string): Promise<boolean> {
  const names = await namesIn(versionsFolder(home));
  return names.some((name) => name.includes(".manifest"));
}

/** Paths of a table's manifests, newest first. */
export async function manifestsOf(home: string): Promise<string[]> {
  const folder = versionsFolder(home);
  return (await namesIn(folder))
    .filter(isManifest)
    .sort()
    .map((name) => join(folder, name));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isFileNotFound(error)) return [];
    throw error;
  }
}

async function setAside(
  home: string,
  table: string,
  manifests: readonly string[],
): Promise<Healing[]> {
  if (manifests.length === 0) return [];
  const healings: Healing[] = [];
  for (const path of manifests) {
    const aside = await renameAside(path);
    if (aside !== undefined) healings.push({ table, movedTo: aside });
  }
  await renameAside(join(versionsFolder(home), "latest_version_hint.json"));
  return healings;
}

/**
 * Returns the new path; undefined if there is nothing any more, because another process healed it.
 */
async function renameAside(path: string): Promise<string | undefined> {
  for (let count = 1; ; count++) {
    const aside = count === 1 ? `${path}.broken` : `${path}.broken-${count}`;
    if (existsSync(aside)) continue;
    try {
      await rename(path, aside);
      return aside;
    } catch (error) {
      if (isFileNotFound(error)) return undefined;
      throw error;
    }
  }
}

async function isReadable(
  table: TableDeclaration,
  handle: LanceTable,
  version: number,
): Promise<boolean> {
  try {
    await handle.checkout(version);
    const schema = await handle.schema();
    const withNulls = columnsWithNulls(schema, table);
    const columns = schema.fields.map(({ name }) => name);
    const query = handle.query().select(toSelection(table, columns, withNulls));
    for await (const _ of batchesOf(query, withNulls));
    return true;
  } catch {
    return false;
  }
}
