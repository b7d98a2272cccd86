import { oneOf, type Store } from "@pond/substrate";
import { idChunks } from "../rows/id-chunks.ts";
import type { StoredState } from "./outline.ts";
import { revisedParents, setRevisedParents } from "./revised-parents.ts";

/** The parent of every stored session; null if it names none. @inline */
export type Parents = ReadonlyMap<string, string | null>;

/** The parents as sources say now, or said first. */
export async function loadParents(store: Store, at: StoredState): Promise<Parents> {
  const parents = new Map<string, string | null>();
  const columns = ["id", "parent_session_id"];
  for await (const rows of store.table("sessions").scan({ columns })) {
    for (const { id, parent_session_id: parent } of rows) {
      parents.set(String(id), typeof parent === "string" ? parent : null);
    }
  }
  if (at === "last") setRevisedParents(parents, await revisedParents(store));
  return parents;
}

/** The same with forks as sessions without a parent. */
export function withForksAsRoots(
  parents: Parents,
  forks: ReadonlySet<string>,
): Map<string, string | null> {
  const roots = new Map(parents);
  // A session that has lost its own row is not among these.
  for (const id of forks) if (roots.has(id)) roots.set(id, null);
  return roots;
}

/**
 * The sessions directly below others, each with its parent, as sources say now or said first.
 *
 * @param limit - The most that are read; sessions that learned their parent late come in addition.
 */
export async function childrenOf(
  store: Store,
  parentIds: readonly string[],
  { at = "last", limit }: { readonly at?: StoredState; readonly limit?: number } = {},
): Promise<Map<string, string>> {
  const rows = await store.table("sessions").rows({
    columns: ["id", "parent_session_id"],
    where: oneOf("parent_session_id", parentIds),
    ...(limit !== undefined && { limit }),
  });
  const children = new Map(
    rows.map((row) => [String(row["id"]), String(row["parent_session_id"])]),
  );
  if (at === "first") return children;
  const above = new Set(parentIds);
  const late = new Map<string, string>();
  for (const [id, { parentId }] of await revisedParents(store)) {
    if (parentId === null || !above.has(parentId)) children.delete(id);
    else (children.has(id) ? children : late).set(id, parentId);
  }
  // A session that has lost its own row counts as not stored.
  const stored = await storedAmong(store, [...late.keys()]);
  for (const [id, parentId] of late) if (stored.has(id)) children.set(id, parentId);
  return children;
}

/** The stored ones of these sessions. */
async function storedAmong(store: Store, sessionIds: readonly string[]): Promise<Set<string>> {
  const stored = new Set<string>();
  for (const ids of idChunks(sessionIds)) {
    const where = oneOf("id", ids);
    const rows = await store.table("sessions").rows({ columns: ["id"], where });
    for (const { id } of rows) stored.add(String(id));
  }
  return stored;
}

/**
 * The topmost stored session above `id`: one whose parent is not stored (a parent is a soft
 * reference). For sessions that descend from themselves, it is the one with the smallest id.
 */
export function rootOf(parents: Parents, id: string): string {
  const path = new Set([id]);
  for (let root = id; ; ) {
    const parent = parents.get(root);
    if (typeof parent !== "string" || !parents.has(parent)) return root;
    if (path.has(parent)) return smallestFrom(path, parent);
    path.add(parent);
    root = parent;
  }
}

/** The root of every session, as {@link rootOf} finds it, in one walk over each of them. */
export function rootsOf(parents: Parents): Map<string, string> {
  const roots = new Map<string, string>();
  for (const id of parents.keys()) {
    const path = new Set<string>();
    let root: string | undefined;
    for (let at = id; root === undefined; ) {
      const parent = parents.get(at);
      root = roots.get(at);
      if (root !== undefined) break;
      if (path.has(at)) root = smallestFrom(path, at);
      else if (typeof parent !== "string" || !parents.has(parent)) root = at;
      path.add(at);
      at = parent ?? at;
    }
    for (const each of path) roots.set(each, root ?? id);
  }
  return roots;
}

/** A session and all stored sessions above it, each once. */
export function selfAndAncestors(parents: Parents, id: string): string[] {
  const path = new Set<string>();
  for (let at: string | null | undefined = id; typeof at === "string" && parents.has(at); ) {
    if (path.has(at)) break;
    path.add(at);
    at = parents.get(at);
  }
  return [...path];
}

function smallestFrom(path: ReadonlySet<string>, first: string): string {
  const ids = [...path];
  return ids.slice(ids.indexOf(first)).sort()[0] ?? first;
}
