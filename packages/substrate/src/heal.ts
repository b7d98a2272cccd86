import { existsSync, readdirSync, statSync } from "node:fs";
import { open, readdir, rename, stat } from "node:fs/promises";
import { uptime } from "node:os";
import { basename, join } from "node:path";
import type { Table as LanceTable } from "@lancedb/lancedb";
import type { IndexDeclaration, TableDeclaration } from "./declaration.ts";
import { StorageUnavailableError } from "./errors.ts";
import { isGone } from "./storage.ts";

/** A manifest that could not be read, or a table without any, and where it was set aside. */
export type Healing = { readonly table: string; readonly setAside: string };

export type HealOptions = {
  /** Opens the newest version of the table there is. */
  readonly openTable: () => Promise<LanceTable>;
  /** Nothing written after it can have been torn by a power cut. Default: when the system started. */
  readonly bootedAtMs?: number;
};

// The system writes files out within half a minute: only what was younger than that when the power
// went, counted from the newest manifest, can be torn.
const unwrittenMs = 120_000;
// File clocks and the one read here differ a little.
const clockMs = 2_000;

/**
 * Sets aside the newest manifests of a local table that a power cut left torn, or that name torn
 * files, so that the newest whole version opens. Nothing is deleted: a manifest gets `.broken`
 * behind its name. What {@link Store.flush} acknowledged is never among them.
 */
export async function healTable(
  folder: string,
  { name: table, indexes }: TableDeclaration,
  { openTable, bootedAtMs = Date.now() - uptime() * 1000 }: HealOptions,
): Promise<Healing[]> {
  const home = join(folder, `${table}.lance`);
  const manifests = await manifestsOf(home);
  const broken: string[] = [];
  for (const path of manifests) {
    if (await isWhole(path)) break;
    broken.push(path);
  }
  const newest = manifests[broken.length];
  if (newest === undefined) {
    if (broken.length === 0) return setAsideBegun(home, table);
    throw new StorageUnavailableError(folder, `no version of table ${table} can be read`);
  }
  const healings = await setAside(home, table, broken);
  const writtenMs = (await stat(newest)).mtimeMs;
  // A machine without a clock of its own starts in the past, until it is told the time.
  const isClockBehind = writtenMs > Date.now() + clockMs;
  if (writtenMs > bootedAtMs && !isClockBehind) return healings;
  const writtenBeforeMs = isClockBehind ? Number.POSITIVE_INFINITY : bootedAtMs;
  const torn = await tornFiles(home, writtenMs - unwrittenMs, writtenBeforeMs);
  if (torn.length === 0) return healings;
  // A torn file may be the leftover of a write that was never committed: only reading tells.
  const unreadable = await unreadableManifests(
    folder,
    table,
    manifests.slice(broken.length),
    openTable,
  );
  healings.push(...(await setAside(home, table, unreadable)));
  if (torn.some((file) => file.startsWith(join(home, "_indices")))) {
    const handle = await openTable();
    await dropIndexes(handle, indexes);
    handle.close();
  }
  return healings;
}

/** The manifests before the first whose version can be read. */
async function unreadableManifests(
  folder: string,
  table: string,
  manifests: readonly string[],
  openTable: () => Promise<LanceTable>,
): Promise<readonly string[]> {
  const handle = await openTable();
  try {
    for (const [count, path] of manifests.entries()) {
      // One that is torn itself may be behind one that is whole; of zeros it reads as an empty table.
      if (!(await isWhole(path))) continue;
      if (await canBeRead(handle, versionOf(path))) return manifests.slice(0, count);
    }
  } finally {
    handle.close();
  }
  throw new StorageUnavailableError(folder, `no version of table ${table} can be read`);
}

/** Manifest names count down from 2^64 - 1. */
function versionOf(path: string): number {
  return Number(2n ** 64n - 1n - BigInt(basename(path, ".manifest")));
}

/** A table whose folder came through the power cut without any version is made anew. */
async function setAsideBegun(home: string, table: string): Promise<Healing[]> {
  // Looked at anew, and the folder first: another process may move its new table here at any
  // moment, and does so with the versions in it.
  if (!existsSync(home) || (await hasVersion(home))) return [];
  const path = await renameAside(home);
  if (path === undefined) return [];
  if (await hasVersion(path)) {
    // Another process had healed it meanwhile, and this is the table it made.
    await rename(path, home);
    return [];
  }
  return [{ table, setAside: path }];
}

async function hasVersion(home: string): Promise<boolean> {
  const names = await namesIn(join(home, "_versions"));
  return names.some((name) => name.includes(".manifest"));
}

/** Paths of a table's manifests, newest first. */
export async function manifestsOf(home: string): Promise<string[]> {
  const folder = join(home, "_versions");
  return (await namesIn(folder))
    .filter((name) => /^\d{20}\.manifest$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isGone(error)) return [];
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
    if (aside !== undefined) healings.push({ table, setAside: aside });
  }
  await renameAside(join(home, "_versions", "latest_version_hint.json"));
  return healings;
}

/** The new path; undefined where there is nothing, or no longer: another process healed it. */
async function renameAside(path: string): Promise<string | undefined> {
  for (let count = 1; ; count++) {
    const aside = count === 1 ? `${path}.broken` : `${path}.broken-${count}`;
    if (existsSync(aside)) continue;
    try {
      await rename(path, aside);
      return aside;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }
}

async function tornFiles(home: string, fromMs: number, toMs: number): Promise<string[]> {
  const torn: string[] = [];
  // Looked at synchronously: there may be hundreds.
  for (const entry of readdirSync(home, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".lance")) continue;
    const path = join(entry.parentPath, entry.name);
    const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (mtimeMs >= fromMs && mtimeMs <= toMs && !(await isWhole(path))) torn.push(path);
  }
  return torn;
}

async function canBeRead(handle: LanceTable, version: number): Promise<boolean> {
  try {
    await handle.checkout(version);
    for await (const _ of handle.query());
    return true;
  } catch {
    return false;
  }
}

/**
 * Indexes are made of the rows, so the next fold makes them again. All of them: one torn index is
 * enough that the engine cannot even list them.
 */
async function dropIndexes(
  handle: LanceTable,
  indexes: readonly IndexDeclaration[],
): Promise<void> {
  for (const { column } of indexes) {
    await handle.dropIndex(`${column}_idx`).catch((error: unknown) => {
      if (!(error instanceof Error && /not found|does not exist/i.test(error.message))) throw error;
    });
  }
}

const magic = "LANC";

/** Every file of the format, manifest or data, ends with its magic; a torn one does not. */
export async function isWhole(path: string): Promise<boolean> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  if (size < magic.length) return false;
  const tail = Buffer.alloc(magic.length);
  await file.read(tail, 0, tail.length, size - tail.length);
  return tail.toString("latin1") === magic;
}
