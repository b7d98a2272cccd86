import { access, constants } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { makeFolder } from "@pond/sessions";
import {
  type Caches,
  createCaches,
  openStore,
  StorageUnavailableError,
  StoreNotFoundError,
} from "@pond/substrate";
import type { Config } from "./config.ts";

/** Where everything is stored, and the memory caches for it. */
export type Storage = Pick<Config, "storage" | "storageOptions"> & { readonly caches: Caches };

// No namespace begins with an underscore.
const probePrefix = "_probe";

/**
 * Opens the memory caches of all tenants together.
 *
 * @throws {StorageUnavailableError} if temporary files cannot be written.
 */
export function openCaches({ cacheBytes }: Pick<Config, "cacheBytes">): Caches {
  // Postings and vectors are large; metadata of files is not.
  const metadataBytes = Math.floor(cacheBytes / 3);
  return createCaches({ indexBytes: cacheBytes - metadataBytes, metadataBytes });
}

/**
 * Proves that tenants can be stored. A folder is made and has to be writable; an object store has
 * to accept one of two writes to the same key and refuse the other.
 *
 * @throws {StorageUnavailableError} and whatever the file system throws.
 */
export async function probeStorage({ storage, ...options }: Storage): Promise<void> {
  if (isAbsolute(storage)) {
    await makeFolder(storage);
    await access(storage, constants.R_OK | constants.W_OK | constants.X_OK);
    return;
  }
  const probe = `${storage}/${probePrefix}`;
  const store = await openStore(probe, { ...options, tables: [], mode: "write" });
  try {
    await store.proveWritable();
  } finally {
    store.close();
  }
}

/**
 * Requires the folder of all tenants, if they are in one.
 *
 * @param use - What must be possible there, as for `access`.
 * @throws {StorageUnavailableError} if it is not there, or that is not possible.
 */
export async function requireFolder(storage: string, use: number = constants.F_OK): Promise<void> {
  if (!isAbsolute(storage)) return;
  try {
    await access(storage, use);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StorageUnavailableError(storage, reason, { cause });
  }
}

/**
 * Asks the storage each time, but once for concurrent callers.
 *
 * @throws If it refuses, or does not answer within `readyMs`.
 */
export function createReadyCheck(place: Storage, readyMs: number): () => Promise<void> {
  let running: Promise<void> | undefined;
  return async () => {
    running ??= ask(place).finally(() => {
      running = undefined;
    });
    const { promise: timeout, reject } = Promise.withResolvers<never>();
    const timeoutError = new StorageUnavailableError(place.storage, `no answer in ${readyMs} ms`);
    const timer = setTimeout(() => reject(timeoutError), readyMs);
    try {
      await Promise.race([running, timeout]);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function ask({ storage, ...options }: Storage): Promise<void> {
  if (isAbsolute(storage)) {
    await requireFolder(storage, constants.R_OK | constants.W_OK | constants.X_OK);
    return;
  }
  try {
    const store = await openStore(`${storage}/${probePrefix}`, { ...options, tables: [] });
    store.close();
  } catch (error) {
    // There is never such a store: this error means that the storage has answered.
    if (!(error instanceof StoreNotFoundError)) throw error;
  }
}
