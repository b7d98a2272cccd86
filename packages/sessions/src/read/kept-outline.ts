import type { Store } from "@pond/substrate";
import { loadOutline, type Outline } from "./outline.ts";

type Kept = { readonly versions: string; readonly outline: Outline };

// About 200 bytes each; a longer session is read again for each of its pages.
const keptPlaces = 20_000;
const known = new WeakMap<Store, Map<string, Kept>>();

/**
 * The present outline, as {@link loadOutline} gives it. The outlines asked for last are kept as
 * long as nothing is committed, because the pages of a session are asked for one after another.
 *
 * @throws {SessionNotFoundError}
 */
export async function keptOutline(store: Store, id: string): Promise<Outline> {
  const outlines = known.get(store) ?? new Map<string, Kept>();
  known.set(store, outlines);
  // Asked before: what is read below may be newer, and is then read once more, but is never older.
  const versions = await versionsOf(store);
  const kept = outlines.get(id);
  outlines.delete(id);
  const outline = kept?.versions === versions ? kept.outline : await loadOutline(store, id, "last");
  outlines.set(id, { versions, outline });
  forgetOldest(outlines);
  return outline;
}

async function versionsOf(store: Store): Promise<string> {
  const tables = ["sessions", "messages"].map((name) => store.table(name).version());
  return (await Promise.all(tables)).join();
}

function forgetOldest(outlines: Map<string, Kept>): void {
  let places = 0;
  for (const { outline } of outlines.values()) places += sizeOf(outline);
  for (const [id, { outline }] of outlines) {
    if (places <= keptPlaces) return;
    outlines.delete(id);
    places -= sizeOf(outline);
  }
}

function sizeOf({ places, removed }: Outline): number {
  return places.length + removed.length + 1;
}
