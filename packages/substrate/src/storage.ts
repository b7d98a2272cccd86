import { randomUUID } from "node:crypto";
import { type Dirent, existsSync, readdirSync, statSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Where a store is: a local folder, or an object store's address. */
export type StoreLocation = {
  readonly uri: string;
  /** Set for a local store only. */
  readonly folder?: string;
};

/**
 * A local path is made absolute, because LanceDB takes one that begins with `db` for its cloud.
 */
export function locate(location: string): StoreLocation {
  if (location.startsWith("file://")) {
    const folder = fileURLToPath(location);
    return { uri: folder, folder };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(location)) return { uri: location };
  const folder = resolve(location);
  return { uri: folder, folder };
}

/** True for an address that holds no store yet, as far as a local look can tell. */
export function isMissing({ folder }: StoreLocation): boolean {
  return folder !== undefined && !existsSync(folder);
}

/**
 * Lends `use` a folder inside the store in which something can be made aside. `adopt` moves a
 * folder of it into the store, unless there is one of that name already.
 */
export async function withDraftFolder(
  store: string,
  use: (draft: string, adopt: (folder: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const draft = join(store, `.draft-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  try {
    await use(draft, async (folder) => {
      await rename(folder, join(store, basename(folder))).catch((error: unknown) => {
        if (!hasCode(error, "ENOTEMPTY") && !hasCode(error, "EEXIST")) throw error;
      });
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

// A process that was killed may have left commits the system has not written out yet: it does so
// within half a minute, so what is younger than this is flushed along.
const unwrittenMs = 120_000;
// File clocks tick coarser than the one read here.
const clockMs = 2_000;

/**
 * Makes what was written to a local store survive a power cut: Lance does not fsync. Beside
 * drafts and healing this is all that reaches around Lance (`lance-chokepoints-storage`).
 */
export class DurableFolder {
  readonly #folder: string;
  #flushedMs: number = Date.now() - unwrittenMs;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Flushes every file changed since the last call, and each folder after its files. */
  async flush(): Promise<void> {
    const startedMs = Date.now();
    await this.#flushFolder(this.#folder, this.#flushedMs - clockMs);
    this.#flushedMs = startedMs;
  }

  async #flushFolder(folder: string, sinceMs: number): Promise<void> {
    const folders: string[] = [];
    const changed: string[] = [];
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (isChanged(path, sinceMs)) changed.push(path);
    }
    for (const inner of folders) await this.#flushFolder(inner, sinceMs);
    await Promise.all(changed.map(flushOne));
    if (isChanged(folder, sinceMs)) await flushOne(folder);
  }
}

// Looked at synchronously: a store has hundreds of files, and few of them changed.

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

function isChanged(path: string, sinceMs: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.mtimeMs >= sinceMs;
}

async function flushOne(path: string): Promise<void> {
  try {
    await using file = await open(path, "r");
    await file.sync();
  } catch (error) {
    // Another process may have cleaned an old version away meanwhile.
    if (!isGone(error)) throw error;
  }
}

/** True for the error of a file that is not there. */
export function isGone(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
