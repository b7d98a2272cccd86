import { randomUUID } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fsync,
  openSync,
  readdirSync,
  readlinkSync,
  type Stats,
  statSync,
} from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { StorageUnavailableError } from "../errors.ts";

/** Where a store is: a local folder, or an object store's address. */
export type StoreLocation = {
  readonly uri: string;
  /** Set for a local store only. */
  readonly folder?: string;
};

/**
 * A local path is made absolute, because LanceDB takes one that begins with `db` for its cloud.
 *
 * @throws {TypeError} for what is no text, and for none: it would be the folder that a process
 *   happens to run in.
 * @throws {StorageUnavailableError} for what no folder can be called.
 */
export function locate(location: string): StoreLocation {
  if (typeof location !== "string" || location === "") {
    throw new TypeError("a store needs the path of a folder or an address");
  }
  if (/\p{Cc}/u.test(location)) {
    throw new StorageUnavailableError(location, "it holds a control character");
  }
  // Of "file:name" a URL would make a path at the root.
  if (/^file:\//i.test(location)) {
    const folder = fileURLToPath(location);
    return { uri: folder, folder };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(location)) return { uri: location };
  const folder = resolve(location);
  return { uri: folder, folder };
}

/** Where the link leads because of which nothing is at a path; undefined where none is to blame. */
function brokenLink(path: string): string | undefined {
  // A link that leads somewhere is none of them.
  if (existsSync(path)) return undefined;
  try {
    return readlinkSync(path);
  } catch (error) {
    const above = dirname(path);
    return isGone(error) && above !== path ? brokenLink(above) : undefined;
  }
}

/**
 * True for an address that holds no store yet, as far as a local look can tell.
 *
 * @throws {StorageUnavailableError} for a folder that may not be looked at or cannot be, for a file,
 *   and for a link to nothing: what is there is not known to be nothing.
 */
export function isMissing({ folder }: StoreLocation): boolean {
  if (folder === undefined) return false;
  try {
    if (!statSync(folder).isDirectory()) {
      throw new StorageUnavailableError(folder, "a file, not a folder");
    }
    accessSync(folder, constants.R_OK | constants.X_OK);
    return false;
  } catch (error) {
    if (isGone(error)) {
      const target = brokenLink(folder);
      if (target === undefined) return true;
      const reason = `its place is a link to ${target}, which does not exist: is the disk mounted?`;
      throw new StorageUnavailableError(folder, reason, { cause: error });
    }
    if (hasCode(error, "EACCES")) {
      throw new StorageUnavailableError(folder, "permission denied", { cause: error });
    }
    if (hasCode(error, "ENOTDIR")) {
      throw new StorageUnavailableError(folder, "a folder above it is a file", { cause: error });
    }
    if (hasCode(error, "ENAMETOOLONG")) {
      throw new StorageUnavailableError(folder, "its path or a name in it is too long", {
        cause: error,
      });
    }
    throw error;
  }
}

/**
 * Lends `use` a folder inside the store in which something can be made aside. `adopt` moves a
 * folder of it into the store, unless there is one of that name already. It is flushed before, so
 * that a power cut leaves all of it or nothing; and the store after, so that none takes a table away
 * from beside one that was written to.
 */
export async function withDraftFolder(
  store: string,
  use: (draft: string, adopt: (folder: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const draft = join(store, `.draft-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  try {
    await use(draft, async (folder) => {
      await flushBelow(folder, () => true);
      await rename(folder, join(store, basename(folder))).catch((error: unknown) => {
        if (!hasCode(error, "ENOTEMPTY") && !hasCode(error, "EEXIST")) throw error;
      });
      await flushFolder(store);
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const flushFile = promisify(fsync);

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
  /** When the last flush began; before the first one, when it was opened. */
  #flushedMs: number = Date.now();
  /** Each path as it was flushed. Clocks are set: what is compared with them alone may be missed. */
  #flushed: ReadonlyMap<string, string> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Flushes every file changed since the last call, and each folder after its files. */
  async flush(): Promise<void> {
    const startedMs = Date.now();
    const known = this.#flushed;
    const sinceMs =
      known === undefined
        ? Math.min(this.#flushedMs, startedMs) - unwrittenMs
        : this.#flushedMs - clockMs;
    const flushed = new Map<string, string>();
    const isDue: IsDue = (path, { ino, size, mtimeMs }) => {
      const state = `${ino} ${size} ${mtimeMs}`;
      flushed.set(path, state);
      return mtimeMs >= sinceMs || (known !== undefined && known.get(path) !== state);
    };
    await flushBelow(this.#folder, isDue);
    // The folders it is in may have been made with it.
    for (let inner = this.#folder; inner !== dirname(inner); inner = dirname(inner)) {
      await flushAbove(dirname(inner), isDue);
    }
    this.#flushed = flushed;
    this.#flushedMs = startedMs;
  }
}

/**
 * What the lock of a table is taken on, in its folder. Nothing else may open it: whichever descriptor
 * of a file a process closes, its locks on that file are gone.
 */
export const lockFile = "writer.lock";

/** Whether a path has to be flushed, as it is now. */
type IsDue = (path: string, stats: Stats) => boolean;

async function flushBelow(folder: string, isDue: IsDue): Promise<void> {
  // Looked at before what is in it, so that what comes meanwhile is seen the next time.
  const isFolderDue = isDueNow(folder, isDue);
  const folders: string[] = [];
  const files: string[] = [];
  for (const entry of entriesOf(folder)) {
    if (entry.name.startsWith(lockFile)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) folders.push(path);
    else if (isDueNow(path, isDue)) files.push(path);
  }
  for (const inner of folders) await flushBelow(inner, isDue);
  await Promise.all(files.map(flushOne));
  if (isFolderDue) await flushFolder(folder);
}

/** A folder that is not ours to read was not made with the store. */
async function flushAbove(folder: string, isDue: IsDue): Promise<void> {
  if (!isDueNow(folder, isDue)) return;
  await flushFolder(folder).catch((error: unknown) => {
    if (!hasCode(error, "EACCES") && !hasCode(error, "EPERM")) throw error;
  });
}

/**
 * Makes a rename in a folder survive a power cut. Not every file system has that for folders: one that
 * mounts homes when they are asked for.
 */
export async function flushFolder(folder: string): Promise<void> {
  await flushOne(folder).catch((error: unknown) => {
    if (!hasCode(error, "EINVAL")) throw error;
  });
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

function isDueNow(path: string, isDue: IsDue): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && isDue(path, stats);
}

/** Only the flush itself is a job for Node's threads: opening and closing by them costs more than both. */
async function flushOne(path: string): Promise<void> {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    // Another process may have cleaned an old version away meanwhile.
    if (isGone(error)) return;
    throw error;
  }
  try {
    await flushFile(file);
  } finally {
    closeSync(file);
  }
}

/** True for the error of a file that is not there. */
export function isGone(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
