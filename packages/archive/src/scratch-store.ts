import { createCaches, openStore, type Store, type StoreOptions } from "@pond/substrate";

const MiB = 1024 * 1024;

/**
 * Opens the store of a scratch folder. It is read through once: what the defaults would keep in
 * memory of it, 0.13 GB at a million messages, would never be used again.
 */
export function openScratchStore(
  folder: string,
  options: Pick<StoreOptions, "tables" | "mode">,
): Promise<Store> {
  const caches = createCaches({ indexBytes: 32 * MiB, metadataBytes: 32 * MiB });
  return openStore(folder, { ...options, caches });
}
