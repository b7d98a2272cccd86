import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import { oneOf, type Store } from "@pond/substrate";
import { LineageCycleError } from "../errors.ts";
import { loadParents, rootOf } from "../read/ancestry.ts";
import { loadMessages } from "../read/content.ts";
import { type At, loadOutline } from "../read/outline.ts";
import type { SessionStore } from "../session-store.ts";

/**
 * A session with every session below it, whole (`adapter-lineage-complete-restore`). A parent that
 * is not stored is no fault; it is a soft reference.
 *
 * @throws {SessionNotFoundError}
 * @throws {LineageCycleError} where the session descends from itself.
 */
export async function loadLineage(
  sessions: SessionStore,
  id: string,
  { at = "last" }: { readonly at?: At } = {},
): Promise<Lineage> {
  const { store } = sessions;
  const root = await loadContent(store, id, at);
  const descendants: SessionContent[] = [];
  for (const each of await descendantIds(store, id)) {
    descendants.push(await loadContent(store, each, at));
  }
  return { root, descendants };
}

/** The sessions to restore so that every stored session is: the roots of all lineages. */
export async function rootIds({ store }: SessionStore): Promise<string[]> {
  const parents = await loadParents(store);
  // Sessions in a circle have no root; one of them is named, so that restoring it says so.
  return [...new Set([...parents.keys()].map((id) => rootOf(parents, id)))];
}

/** Ids of all sessions below one, parents first. Real graphs nest three levels and more. */
async function descendantIds(store: Store, rootId: string): Promise<string[]> {
  const parents = new Map<string, string>();
  for (let level = [rootId]; level.length > 0; ) {
    const rows = await store.table("sessions").rows({
      columns: ["id", "parent_session_id"],
      where: oneOf("parent_session_id", level),
    });
    const parentOf = new Map(
      rows.map((row) => [String(row["id"]), String(row["parent_session_id"])]),
    );
    level = [...parentOf.keys()].sort();
    for (const id of level) parents.set(id, parentOf.get(id) ?? rootId);
    // A session has one parent: what leads to a session twice leads round through the root.
    if (parents.has(rootId)) throw new LineageCycleError(circleThrough(parents, rootId));
  }
  return [...parents.keys()];
}

async function loadContent(store: Store, id: string, at: At): Promise<SessionContent> {
  const { session, places } = await loadOutline(store, id, at);
  const placed = await loadMessages(store, id, places);
  return { session, messages: placed.map(({ message }) => message) };
}

function circleThrough(parents: ReadonlyMap<string, string>, rootId: string): string[] {
  const ids = [rootId];
  for (let id = parents.get(rootId); id !== undefined; id = parents.get(id)) {
    ids.unshift(id);
    if (id === rootId) break;
  }
  return ids;
}
