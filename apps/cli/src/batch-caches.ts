import type { CacheSizes, Caches } from "@pond/substrate";

const MiB = 1024 * 1024;

/** How a command goes through a store: each row once as it lies, or session by session. */
export type Pass = "in-order" | "by-session";

/**
 * What is kept in memory of a store that a command goes through once, however large it is. The
 * defaults are for one that answers again and again, and fill as the store grows: at a million
 * messages to 0.3 GB in an embedding and to 0.2 GB in an export.
 *
 * In order hardly anything is asked for twice: a hundredth of the defaults took no more processor
 * time. Session by session every lookup is one in the indexes of three tables, 0.1 GB of a million
 * messages, and 32 MiB took a tenth more processor time.
 */
export const batchCacheSizes: Readonly<Record<Pass, CacheSizes>> = {
  "in-order": { indexBytes: 32 * MiB, metadataBytes: 32 * MiB },
  "by-session": { indexBytes: 128 * MiB, metadataBytes: 32 * MiB },
};

/** For all stores that such a command opens. */
export async function createBatchCaches(pass: Pass): Promise<Caches> {
  const { createCaches } = await import("@pond/substrate");
  return createCaches(batchCacheSizes[pass]);
}
