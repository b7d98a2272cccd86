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

/** Where everything is stored, and what is kept in memory of it. */
export type Storage = Pick<Config, "storage" | "storageOptions"> & { readonly caches: Caches };

// No namespace begins with an underscore.
const probePrefix = "_probe";

/**
 * What is kept in memory of all tenants together.
 *
 * @throws {StorageUnavailableError} where temporary files cannot be written.
 */
export function openCaches({ cacheBytes }: Pick<Config, "cacheBytes">): Caches {
  // Postings and vectors are large, what is known of files is not.
  const metadataBytes = Math.floor(cacheBytes / 3);
  return createCaches({ indexBytes: cacheBytes - metadataBytes, metadataBytes });
}

/**
 * Proves that tenants can be stored: a folder is made and can be written to, an object store takes
 * one of two writes to the same key and refuses the other.
 *
 * @throws {StorageUnavailableError} and what the file system throws.
 */
export async function proveStorage({ storage, ...options }: Storage): Promise<void> {
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
 * Asks the storage each time, once for all who ask at the same time.
 *
 * @throws Where it does not answer within `readyMs`, or refuses.
 */
export function createReadyCheck(place: Storage, readyMs: number): () => Promise<void> {
  let asking: Promise<void> | undefined;
  return async () => {
    asking ??= ask(place).finally(() => {
      asking = undefined;
    });
    const { promise: timeUp, reject } = Promise.withResolvers<never>();
    const late = new StorageUnavailableError(place.storage, `no answer in ${readyMs} ms`);
    const timer = setTimeout(() => reject(late), readyMs);
    try {
      await Promise.race([asking, timeUp]);
    } finally {
      clearTimeout(timer);
    }
  };
}

async function ask({ storage, ...options }: Storage): Promise<void> {
  if (isAbsolute(storage)) {
    await access(storage, constants.R_OK | constants.W_OK | constants.X_OK);
    return;
  }
  try {
    const store = await openStore(`${storage}/${probePrefix}`, { ...options, tables: [] });
    store.close();
  } catch (error) {
    // There is never one: the storage has answered.
    if (!(error instanceof StoreNotFoundError)) throw error;
  }
}
