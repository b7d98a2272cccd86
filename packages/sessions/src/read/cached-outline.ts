import type { Store } from "@pond/substrate";
import { loadOutline, type Outline } from "./outline.ts";

type CachedOutline = { readonly versions: string; readonly outline: Outline };

// About 200 bytes each; a longer session is read again for each of its pages.
const maxCachedPlaces = 20_000;
const cache = new WeakMap<Store, Map<string, CachedOutline>>();

/**
 * The present outline, as {@link loadOutline} gives it. The outlines asked for last are kept as
 * long as nothing is committed, because the pages of a session are asked for one after another.
 *
 * @throws {SessionNotFoundError}
 */
export async function cachedOutline(store: Store, id: string): Promise<Outline> {
  const outlines = cache.get(store) ?? new Map<string, CachedOutline>();
  cache.set(store, outlines);
  // Asked before: what is read below may be newer, and is then read once more, but is never older.
  const versions = await versionsOf(store);
  const cached = outlines.get(id);
  outlines.delete(id);
  const outline =
    cached?.versions === versions ? cached.outline : await loadOutline(store, id, "last");
  outlines.set(id, { versions, outline });
  evictOldest(outlines);
  return outline;
}

async function versionsOf(store: Store): Promise<string> {
  const tables = ["sessions", "messages"].map((name) => store.table(name).version());
  return (await Promise.all(tables)).join();
}

function evictOldest(outlines: Map<string, CachedOutline>): void {
  let places = 0;
  for (const { outline } of outlines.values()) places += sizeOf(outline);
  for (const [id, { outline }] of outlines) {
    if (places <= maxCachedPlaces) return;
    outlines.delete(id);
    places -= sizeOf(outline);
  }
}

function sizeOf({ places, removed }: Outline): number {
  return places.length + removed.length + 1;
}
