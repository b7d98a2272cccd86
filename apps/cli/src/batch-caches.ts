import type { CacheSizes, Caches } from "@pond/substrate";

const MiB = 1024 * 1024;

/**
 * Limits of the memory caches for a store that a command goes through once, however large it is.
 * The defaults are for a process that answers again and again, and fill as the store grows: at a
 * million messages to 0.3 GB in an embedding and to 0.2 GB in an export.
 *
 * In order, hardly anything is read twice: a hundredth of the defaults took no more processor time.
 * Session by session, a sync of a million messages (a tenth of its sessions grown, or all of them
 * read again) took no more time than with 128 MiB for indexes, and a tenth more with 16; a copy
 * took 6 % more. This memory comes in addition to what the fold after an import takes.
 */
export const batchCacheSizes: CacheSizes = { indexBytes: 32 * MiB, metadataBytes: 32 * MiB };

/** Caches for all stores that such a command opens. */
export async function createBatchCaches(): Promise<Caches> {
  const { createCaches } = await import("@pond/substrate");
  return createCaches(batchCacheSizes);
}
