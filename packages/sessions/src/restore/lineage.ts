import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import type { Store } from "@pond/substrate";
import { childrenOf, loadParents, rootOf } from "../read/ancestry.ts";
import { loadMessages } from "../read/content.ts";
import { type At, loadOutline } from "../read/outline.ts";
import type { SessionStore } from "../session-store.ts";

/**
 * A session with every session below it, whole (`adapter-lineage-complete-restore`). A parent that
 * is not stored is no fault; it is a soft reference. Of sessions that descend from themselves the
 * one that is asked for is the root, and all others of the circle are below it.
 *
 * @throws {SessionNotFoundError}
 */
export async function loadLineage(
  sessions: SessionStore,
  id: string,
  { at = "last" }: { readonly at?: At } = {},
): Promise<Lineage> {
  const { store } = sessions;
  const root = await loadContent(store, id, at);
  const descendants: SessionContent[] = [];
  for (const each of await descendantIds(store, id, at)) {
    descendants.push(await loadContent(store, each, at));
  }
  return { root, descendants };
}

/** The sessions to restore so that every stored session is: the roots of all lineages. */
export async function rootIds({ store }: SessionStore): Promise<string[]> {
  const parents = await loadParents(store);
  // Sessions in a circle have no root; one of them is named, and the others are below it.
  return [...new Set([...parents.keys()].map((id) => rootOf(parents, id)))];
}

/** Ids of all sessions below one, each once, parents first. Real graphs nest three levels and more. */
async function descendantIds(store: Store, rootId: string, at: At): Promise<string[]> {
  const found = new Set([rootId]);
  for (let level = [rootId]; level.length > 0; ) {
    const children = await childrenOf(store, level, { at });
    // A session has one parent: what leads to a session twice leads round through the root.
    level = [...children.keys()].filter((id) => !found.has(id));
    level.sort();
    for (const id of level) found.add(id);
  }
  found.delete(rootId);
  return [...found];
}

async function loadContent(store: Store, id: string, at: At): Promise<SessionContent> {
  const { session, places } = await loadOutline(store, id, at);
  const placed = await loadMessages(store, id, places);
  return { session, messages: placed.map(({ message }) => message) };
}
