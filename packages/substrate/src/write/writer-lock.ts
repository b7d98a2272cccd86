import { randomUUID } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  statfsSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { ConflictError, StorageUnavailableError, StoreClosedError } from "../errors.ts";
import { sqlite } from "./sqlite.ts";

/** What a lock is for, as errors name it. */
export type Place = { readonly table: string; readonly location: string };

// A commit takes milliseconds, one of many rows a second: waiting for minutes means that the other
// one hangs.
const defaultMaxWaitMs = 120_000;
// The names that SQLite has for them.
const sqliteBusy = 5;
const sqliteNotADatabase = 26;

/**
 * Lets one writer at a time, over all processes, write to a table in a folder. It is the lock that
 * SQLite takes on a file; the system frees it when a process ends, however it ends. The file stays
 * empty, so that nothing in it can be damaged.
 */
export class WriterLock {
  readonly #file: string;
  readonly #place: Place;
  readonly #maxWaitMs: number;
  #opened: OpenLock | undefined;
  #isClosed = false;

  constructor(file: string, place: Place, maxWaitMs: number = defaultMaxWaitMs) {
    this.#file = file;
    this.#place = place;
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Runs `use` while no other holder of the lock runs. Do not call it while another call of the
   * same object runs.
   *
   * @throws {ConflictError} if others have held it for minutes.
   * @throws {StorageUnavailableError} if its file cannot be made.
   * @throws {StoreClosedError} once it is closed.
   */
  async hold<T>(signal: AbortSignal | undefined, use: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    let connection = this.#tryAcquire();
    for (let attempts = 1; connection === undefined; attempts++) {
      if (performance.now() - startedMs > this.#maxWaitMs) {
        throw new ConflictError(this.#place.table, attempts, { isHeld: true });
      }
      await sleep(1 + Math.random() * Math.min(30, attempts), undefined, { signal });
      connection = this.#tryAcquire();
    }
    try {
      return await use();
    } finally {
      connection.exec("ROLLBACK");
    }
  }

  /** Do not call it while the lock is held. */
  close(): void {
    this.#isClosed = true;
    this.#opened?.connection.close();
    this.#opened = undefined;
  }

  /** Undefined if another holder has it. */
  #tryAcquire(): DatabaseSync | undefined {
    try {
      for (;;) {
        const { connection, fingerprint } = this.#open();
        // A journal in memory leaves nothing behind if the holder is killed.
        connection.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
        if (fingerprint === fingerprintOf(this.#file)) return connection;
        // A folder that was replaced has another file, and the others see that one.
        connection.close();
        this.#opened = undefined;
      }
    } catch (error) {
      if (error instanceof Error && "errcode" in error && error.errcode === sqliteBusy)
        return undefined;
      throw error instanceof StoreClosedError ? error : this.#toError(error);
    }
  }

  #open(): OpenLock {
    if (this.#isClosed) throw new StoreClosedError(this.#place.location);
    if (this.#opened === undefined) {
      makeFile(this.#file);
      // Read before the file is opened, so that a replacement in the meantime is noticed.
      const fingerprint = fingerprintOf(this.#file);
      const { DatabaseSync } = sqlite();
      this.#opened = { connection: new DatabaseSync(this.#file), fingerprint };
    }
    return this.#opened;
  }

  #toError(cause: unknown): StorageUnavailableError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const isWritten =
      cause instanceof Error && "errcode" in cause && cause.errcode === sqliteNotADatabase;
    return new StorageUnavailableError(
      this.#place.location,
      isWritten
        ? `${this.#file} is not empty: empty it, and do not delete it while anything writes here`
        : `${this.#file} cannot be locked: ${reason}`,
      { cause },
    );
  }
}

type OpenLock = { readonly connection: DatabaseSync; readonly fingerprint: string | undefined };

/** Tells a file from another in its place. */
function fingerprintOf(file: string): string | undefined {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}

/**
 * Whoever may add files to the folder may lock. The file is made aside, because closing it in place
 * would release the lock of another holder in this process.
 */
function makeFile(file: string): void {
  if (existsSync(file)) return;
  const aside = `${file}-${randomUUID()}`;
  writeFileSync(aside, "");
  try {
    chmodSync(aside, statSync(dirname(file)).mode & 0o666);
    linkSync(aside, file);
  } catch (error) {
    if (!existsSync(file)) throw error;
  } finally {
    unlinkSync(aside);
  }
}

/** The `statfs` types of file systems on which every writer sees the locks of every other. */
const localFileSystems: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
  0x2fc12fc1, // ZFS
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

/**
 * Whether a lock in a folder keeps every other process from writing there. On Linux that is known
 * for some file systems, but not for those that other machines write to as well.
 */
export function canLock(folder: string): boolean {
  return process.platform !== "linux" || localFileSystems.has(statfsSync(folder).type);
}
