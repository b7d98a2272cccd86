import type { CacheSizes, Caches } from "@pond/substrate";

const MiB = 1024 * 1024;

/**
 * What is kept in memory of a store that a command goes through once, however large it is. The
 * defaults are for one that answers again and again, and fill as the store grows: at a million
 * messages to 0.3 GB in an embedding and to 0.2 GB in an export.
 *
 * In order hardly anything is asked for twice: a hundredth of the defaults took no more processor
 * time. Session by session a sync of a million messages, a tenth of its sessions grown or all of them
 * read again, took no more than with 128 MiB of indexes, and a tenth more with 16; a copy took 6 %
 * more. What they fill is there in addition to what the fold behind an import takes.
 */
export const batchCacheSizes: CacheSizes = { indexBytes: 32 * MiB, metadataBytes: 32 * MiB };

/** For all stores that such a command opens. */
export async function createBatchCaches(): Promise<Caches> {
  const { createCaches } = await import("@pond/substrate");
  return createCaches(batchCacheSizes);
}
