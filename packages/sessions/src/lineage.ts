import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import { oneOf, type Store } from "@pond/substrate";
import { type At, loadMessages, loadPlaces, loadSession } from "./content.ts";
import { LineageCycleError } from "./errors.ts";
import type { SessionStore } from "./session-store.ts";

/**
 * Ids of a session and of all below it, parents first (`adapter-lineage-complete-restore`). Real
 * graphs nest three levels and more, so the whole tree is walked.
 *
 * @throws {LineageCycleError} where a session descends from itself.
 */
export async function descendantIds(store: Store, rootId: string): Promise<string[]> {
  const parents = new Map<string, string>();
  const ids = [rootId];
  for (let level = [rootId]; level.length > 0; ) {
    const rows = await store.table("sessions").rows({
      columns: ["id", "parent_session_id"],
      where: oneOf("parent_session_id", level),
    });
    level = [];
    for (const row of rows) {
      const id = String(row["id"]);
      const parent = String(row["parent_session_id"]);
      if (id === rootId || parents.has(id))
        throw new LineageCycleError(circle(parents, parent, id));
      parents.set(id, parent);
      level.push(id);
    }
    ids.push(...level.sort());
  }
  return ids;
}

/** A session with every session below it, whole. */
export async function loadLineage(
  sessions: SessionStore,
  id: string,
  { at = "last" }: { readonly at?: At } = {},
): Promise<Lineage> {
  const { store } = sessions;
  const root = await loadContent(store, id, at);
  const descendants: SessionContent[] = [];
  for (const each of (await descendantIds(store, id)).slice(1)) {
    descendants.push(await loadContent(store, each, at));
  }
  return { root, descendants };
}

/** Sessions that no stored session is the parent of: what `restore --all` starts from. */
export async function rootIds(sessions: SessionStore): Promise<string[]> {
  const table = sessions.store.table("sessions");
  const parents = new Map<string, string | null>();
  for await (const rows of table.scan({ columns: ["id", "parent_session_id"] })) {
    for (const row of rows) {
      parents.set(String(row["id"]), row["parent_session_id"] as string | null);
    }
  }
  return [...parents].flatMap(([id, parent]) =>
    parent === null || !parents.has(parent) ? [id] : [],
  );
}

async function loadContent(store: Store, id: string, at: At): Promise<SessionContent> {
  const session = await loadSession(store, id);
  const places = await loadPlaces(store, id, at);
  const placed = await loadMessages(store, id, places);
  return { session, messages: placed.map(({ message }) => message) };
}

function circle(parents: ReadonlyMap<string, string>, from: string, to: string): string[] {
  const ids = [to];
  for (let id: string | undefined = from; id !== undefined && id !== to; id = parents.get(id)) {
    ids.push(id);
    if (ids.length > parents.size + 2) break;
  }
  return [...ids, to].reverse();
}
