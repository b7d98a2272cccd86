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
import { ConflictError, StorageUnavailableError } from "../errors.ts";
import { sqlite } from "./sqlite.ts";

/** What a lock is for, as errors name it. */
export type Place = { readonly table: string; readonly location: string };

// A commit takes milliseconds, one of many rows a second: who waits for minutes waits for one that
// hangs.
const defaultMaxWaitMs = 120_000;
const busy = 5;

/**
 * Lets one writer at a time, of all processes, write to a table in a folder. It is the lock that
 * SQLite takes on a file: the system frees it when a process ends, however it ends. The file stays
 * empty, so that nothing in it can be damaged.
 */
export class WriterLock {
  readonly #file: string;
  readonly #place: Place;
  readonly #maxWaitMs: number;
  #connection: DatabaseSync | undefined;

  constructor(file: string, place: Place, maxWaitMs: number = defaultMaxWaitMs) {
    this.#file = file;
    this.#place = place;
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Runs `use` while no other holder of the lock runs. Not to be called while another call of the
   * same object runs.
   *
   * @throws {ConflictError} where others have held it for minutes.
   * @throws {StorageUnavailableError} where its file cannot be made.
   */
  async hold<T>(signal: AbortSignal | undefined, use: () => Promise<T>): Promise<T> {
    const connection = this.#open();
    const startedMs = performance.now();
    for (let attempts = 1; !this.#take(connection); attempts++) {
      if (performance.now() - startedMs > this.#maxWaitMs) {
        throw new ConflictError(this.#place.table, attempts);
      }
      await sleep(1 + Math.random() * Math.min(30, attempts), undefined, { signal });
    }
    try {
      return await use();
    } finally {
      if (connection.isOpen) connection.exec("ROLLBACK");
    }
  }

  /** Whoever holds it no longer does. */
  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }

  #open(): DatabaseSync {
    this.#connection ??= this.#typed(() => {
      makeFile(this.#file);
      const { DatabaseSync } = sqlite();
      return new DatabaseSync(this.#file);
    });
    return this.#connection;
  }

  /** False where another holds it. */
  #take(connection: DatabaseSync): boolean {
    return this.#typed(() => {
      try {
        // Of a journal in memory nothing is left where the holder is killed.
        connection.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
        return true;
      } catch (error) {
        if (error instanceof Error && "errcode" in error && error.errcode === busy) return false;
        throw error;
      }
    });
  }

  #typed<T>(call: () => T): T {
    try {
      return call();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new StorageUnavailableError(
        this.#place.location,
        `${this.#file} cannot be locked: ${reason}`,
        { cause },
      );
    }
  }
}

/**
 * Whoever may add files to the folder may lock. The file is made aside, because to close it where it
 * is would take away the lock of another holder in this process.
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

/** What `statfs` says of file systems of which every writer sees the locks of every other. */
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
 * Whether a lock in a folder keeps every other process from writing there. On Linux that is known of
 * some file systems, and not of those that other machines write to as well.
 */
export function canLock(folder: string): boolean {
  return process.platform !== "linux" || localFileSystems.has(statfsSync(folder).type);
}
