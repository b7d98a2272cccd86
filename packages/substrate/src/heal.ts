import { open, readdir, rename, stat } from "node:fs/promises";
import { uptime } from "node:os";
import { join } from "node:path";
import type { Table as LanceTable } from "@lancedb/lancedb";
import { StorageUnavailableError } from "./errors.ts";
import { isGone } from "./storage.ts";

/** A manifest that could not be read and was set aside. */
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

/**
 * Sets aside the newest manifests of a local table that a power cut left torn, or that name torn
 * files, so that the newest whole version opens. Nothing is deleted: a manifest gets `.broken`
 * behind its name. What {@link Store.flush} acknowledged is never among them.
 */
export async function healTable(
  folder: string,
  table: string,
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
    if (broken.length === 0) return [];
    throw new StorageUnavailableError(folder, `no version of table ${table} can be read`);
  }
  const healings = await setAside(home, table, broken);
  const writtenMs = (await stat(newest)).mtimeMs;
  if (writtenMs > bootedAtMs || !(await hasTornFile(home, writtenMs - unwrittenMs, bootedAtMs))) {
    return healings;
  }
  // A torn file may be the leftover of a write that was never committed: only reading tells.
  for (const path of manifests.slice(broken.length)) {
    const handle = await openTable();
    try {
      if (await canBeRead(handle)) {
        await dropTornIndexes(home, handle);
        return healings;
      }
    } finally {
      handle.close();
    }
    healings.push(...(await setAside(home, table, [path])));
  }
  throw new StorageUnavailableError(folder, `no version of table ${table} can be read`);
}

/** Paths of a table's manifests, newest first: names count down from 2^64. */
async function manifestsOf(home: string): Promise<string[]> {
  const folder = join(home, "_versions");
  const names = await readdir(folder).catch((error: unknown) => {
    if (isGone(error)) return [];
    throw error;
  });
  return names
    .filter((name) => /^\d{20}\.manifest$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

async function setAside(
  home: string,
  table: string,
  manifests: readonly string[],
): Promise<Healing[]> {
  if (manifests.length === 0) return [];
  const healings: Healing[] = [];
  for (const path of manifests) {
    try {
      await rename(path, `${path}.broken`);
    } catch (error) {
      // Another process healed it.
      if (!isGone(error)) throw error;
    }
    healings.push({ table, setAside: `${path}.broken` });
  }
  const hint = join(home, "_versions", "latest_version_hint.json");
  await rename(hint, `${hint}.broken`).catch(() => undefined);
  return healings;
}

async function hasTornFile(home: string, fromMs: number, toMs: number): Promise<boolean> {
  for (const entry of await readdir(home, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".lance")) continue;
    const path = join(entry.parentPath, entry.name);
    const { mtimeMs } = await stat(path);
    if (mtimeMs >= fromMs && mtimeMs <= toMs && !(await isWhole(path))) return true;
  }
  return false;
}

async function canBeRead(handle: LanceTable): Promise<boolean> {
  try {
    for await (const _ of handle.query());
    return true;
  } catch {
    return false;
  }
}

/** Indexes are made of the rows: one that is torn is dropped, and the next fold makes it again. */
async function dropTornIndexes(home: string, handle: LanceTable): Promise<void> {
  for (const { name, indexUuid } of await handle.listIndices()) {
    const folder = join(home, "_indices", String(indexUuid));
    const files = (await readdir(folder)).map((file) => isWhole(join(folder, file)));
    if ((await Promise.all(files)).includes(false)) await handle.dropIndex(name);
  }
}

const magic = "LANC";

/** Every file of the format, manifest or data, ends with its magic; a torn one does not. */
async function isWhole(path: string): Promise<boolean> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  if (size < magic.length) return false;
  const tail = Buffer.alloc(magic.length);
  await file.read(tail, 0, tail.length, size - tail.length);
  return tail.toString("latin1") === magic;
}
