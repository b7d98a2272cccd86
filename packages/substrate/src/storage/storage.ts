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
import { type StorageProblem, StorageUnavailableError } from "../errors.ts";

/** The place of a store: a local folder, or the address of an object store. */
export type StoreLocation = {
  readonly uri: string;
  /** Set only for a local store. */
  readonly folder?: string;
};

/**
 * Parses a location. A local path is made absolute, because LanceDB takes one that begins with `db`
 * for its cloud.
 *
 * @throws {TypeError} for something that is not text, and for empty text, which would mean the
 * current folder of the process.
 * @throws {StorageUnavailableError} for a text that cannot be the name of a folder.
 */
export function parseLocation(location: string): StoreLocation {
  if (typeof location !== "string" || location === "") {
    throw new TypeError("a store needs the path of a folder or an address");
  }
  if (/\p{Cc}/u.test(location)) {
    throw new StorageUnavailableError(location, "it holds a control character");
  }
  // A URL would turn "file:name" into a path at the root.
  if (/^file:\//i.test(location)) {
    const folder = fileURLToPath(location);
    return { uri: folder, folder };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(location)) return { uri: location };
  const folder = resolve(location);
  return { uri: folder, folder };
}

/**
 * The target of the broken link because of which nothing is at a path; undefined if no link is to
 * blame.
 */
function brokenLink(path: string): string | undefined {
  // A link that leads somewhere is not broken.
  if (existsSync(path)) return undefined;
  try {
    return readlinkSync(path);
  } catch (error) {
    const above = dirname(path);
    return isFileNotFound(error) && above !== path ? brokenLink(above) : undefined;
  }
}

/**
 * True for a location without a store, as far as a local look can tell.
 *
 * @throws {StorageUnavailableError} for a folder that cannot be read or cannot exist, for a file,
 * and for a broken link: there may be something.
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
    if (isFileNotFound(error)) {
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
    throw error instanceof StorageUnavailableError ? error : refusedBySystem(folder, error);
  }
}

const problems: Readonly<Record<string, StorageProblem>> = {
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  EMFILE: "open_files",
};

/**
 * The error for what the system says of a folder: a disk that does not answer, a mount that died,
 * links in a circle.
 */
function refusedBySystem(folder: string, error: unknown): unknown {
  if (!(error instanceof Error && "code" in error)) return error;
  const problem = problems[String(error.code)];
  return new StorageUnavailableError(folder, error.message, { problem, cause: error });
}

/**
 * Lends `use` a folder inside the store, in which something can be made aside. `adopt` moves a
 * folder from it into the store, unless one of that name exists. That folder is flushed first, so
 * that a power cut leaves all of it or nothing; the store is flushed afterwards, so that no power
 * cut takes a table away next to one that was written to.
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

// A killed process may have left commits that the system has not written to disk yet. The system
// does so within half a minute, so anything younger than this is flushed, too.
const writeBackMs = 120_000;
// The clock of the file system is coarser than the one read here.
const clockToleranceMs = 2_000;

/**
 * Makes writes to a local store survive a power cut, because Lance does not fsync. Besides drafts
 * and healing, this is all that bypasses Lance (`lance-chokepoints-storage`).
 */
export class DurableFolder {
  readonly #folder: string;
  /** When the last flush began; before the first one, when the store was opened. */
  #flushedMs: number = Date.now();
  /**
   * The state of each path when it was flushed. Clocks can be set back, so times alone could miss a
   * change.
   */
  #flushed: ReadonlyMap<string, string> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Flushes every file changed since the last call, and each folder after its files.
   *
   * @throws {StorageUnavailableError} if the system cannot.
   */
  async flush(): Promise<void> {
    try {
      await this.#flushChanged();
    } catch (error) {
      throw refusedBySystem(this.#folder, error);
    }
  }

  async #flushChanged(): Promise<void> {
    const startedMs = Date.now();
    const known = this.#flushed;
    const sinceMs =
      known === undefined
        ? Math.min(this.#flushedMs, startedMs) - writeBackMs
        : this.#flushedMs - clockToleranceMs;
    const flushed = new Map<string, string>();
    const isDue: IsDue = (path, { ino, size, mtimeMs }) => {
      const state = `${ino} ${size} ${mtimeMs}`;
      flushed.set(path, state);
      return mtimeMs >= sinceMs || (known !== undefined && known.get(path) !== state);
    };
    await flushBelow(this.#folder, isDue);
    // The folders above it may have been made with it.
    for (let inner = this.#folder; inner !== dirname(inner); inner = dirname(inner)) {
      await flushAbove(dirname(inner), isDue);
    }
    this.#flushed = flushed;
    this.#flushedMs = startedMs;
  }
}

/**
 * The file in a table's folder on which its lock is taken. Nothing else may open it: when a process
 * closes any descriptor of a file, its locks on that file are gone.
 */
export const lockFile = "writer.lock";

/** Whether a path has to be flushed, in its present state. */
type IsDue = (path: string, stats: Stats) => boolean;

async function flushBelow(folder: string, isDue: IsDue): Promise<void> {
  // Checked before its content, so that anything that arrives in the meantime is seen the next
  // time.
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
 * Makes a rename in a folder survive a power cut. Some file systems cannot flush folders, for
 * example one that mounts homes on demand.
 */
export async function flushFolder(folder: string): Promise<void> {
  await flushOne(folder).catch((error: unknown) => {
    if (!hasCode(error, "EINVAL")) throw error;
  });
}

// Synchronous: a store has hundreds of files, of which few have changed.

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isFileNotFound(error)) return [];
    throw error;
  }
}

function isDueNow(path: string, isDue: IsDue): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && isDue(path, stats);
}

/** Only the flush itself runs on Node's threads: opening and closing there costs more than both. */
async function flushOne(path: string): Promise<void> {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    // Another process may have cleaned an old version away in the meantime.
    if (isFileNotFound(error)) return;
    throw error;
  }
  try {
    await flushFile(file);
  } finally {
    closeSync(file);
  }
}

/** True for the error of a missing file. */
export function isFileNotFound(error: unknown): boolean {
  return hasCode(error, "ENOENT");
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
