import { closeSync, existsSync, fsyncSync, openSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
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
 * Makes what was written to a local store survive a power cut: LanceDB does not fsync.
 * Only files changed since the last call are flushed, each folder after its files.
 */
export class DurableFolder {
  readonly #folder: string;
  #flushedMs = 0;

  constructor(folder: string) {
    this.#folder = folder;
    this.#flushedMs = Date.now();
  }

  flush(): void {
    const startedMs = Date.now();
    // File clocks tick coarser than Date.now.
    this.#flushFolder(this.#folder, this.#flushedMs - 50);
    this.#flushedMs = startedMs;
  }

  #flushFolder(folder: string, sinceMs: number): void {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) this.#flushFolder(path, sinceMs);
      else if (isChanged(path, sinceMs)) flushOne(path);
    }
    if (isChanged(folder, sinceMs)) flushOne(folder);
  }
}

function isChanged(path: string, sinceMs: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && stats.mtimeMs >= sinceMs;
}

function flushOne(path: string): void {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    // Another process may have cleaned an old version away meanwhile.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw error;
  }
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
