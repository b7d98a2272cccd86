import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import type { Session } from "@lancedb/lancedb";
import { StorageUnavailableError } from "../errors.ts";
import { loadLance } from "./lance.ts";

/** The limits for indexes and metadata in memory. */
export type CacheSizes = {
  /**
   * For opened indexes, as far as they are used. Default: 512 MiB; the index of a million messages
   * takes 413.
   */
  readonly indexBytes?: number;
  /** For manifests and file footers. Default: 128 MiB. */
  readonly metadataBytes?: number;
};

const defaults = { indexBytes: 512 * 1024 * 1024, metadataBytes: 128 * 1024 * 1024 } as const;

/** The memory caches of stores. Several stores may share them, and then their limits. */
export class Caches {
  readonly #make: () => Session;
  #session: Session;

  constructor(make: () => Session) {
    this.#make = make;
    this.#session = make();
  }

  /** The session of the engine. */
  get session(): Session {
    return this.#session;
  }

  /** Bytes in use. */
  get bytes(): number {
    return Number(this.#session.sizeBytes());
  }

  /**
   * Starts with new caches. The memory of the old ones is freed once each store that was opened
   * with them is closed.
   */
  release(): void {
    this.#session = this.#make();
  }
}

/**
 * Creates one pool of caches (spec 3.4), for a process that opens many stores.
 *
 * @throws {StorageUnavailableError} where temporary files cannot be written: the engine would end the
 *   process.
 * @throws {TypeError} for a size that is not a number of bytes.
 */
export function createCaches(sizes: CacheSizes = {}): Caches {
  const { indexBytes, metadataBytes } = { ...defaults, ...sizes };
  for (const [name, bytes] of Object.entries({ indexBytes, metadataBytes })) {
    // The engine would turn a negative number into another size.
    if (!(Number.isSafeInteger(bytes) && bytes >= 0)) {
      throw new TypeError(`${name}: ${bytes} is not a number of bytes`);
    }
  }
  proveTemporaryFolder();
  const { Session } = loadLance();
  return new Caches(() => new Session(BigInt(indexBytes), BigInt(metadataBytes)));
}

function proveTemporaryFolder(): void {
  // The engine asks no other variable there.
  const folder = process.platform === "win32" ? tmpdir() : process.env["TMPDIR"] || "/tmp";
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const reason = "temporary files cannot be written here; set TMPDIR to a folder where they can";
    throw new StorageUnavailableError(folder, reason, { cause });
  }
}
