import { isJsonObject } from "@pond/canonical";
import { objectAt } from "@pond/canonical/adapter";
import { saysFork } from "@pond/canonical/foreign";
import { and, eq, oneOf, prefix, type Row, type Store } from "@pond/substrate";
import { compareRevisions } from "../revisions/order.ts";
import { sessionItself } from "../revisions/reconcile.ts";
import { revisionPrefix } from "../revisions/revisions.ts";
import { readableOptions } from "../rows/from-rows.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { bagOf } from "../rows/option-bag.ts";

/** Where a session belongs, as its source says now. */
export type RevisedParent = {
  readonly parentId: string | null;
  readonly parentMessageId: string | null;
  readonly isFork: boolean;
};

/** By session; only those whose source said more about them after they were stored. */
export type RevisedParents = ReadonlyMap<string, RevisedParent>;

type NewestCarrier = { readonly id: string; readonly revision: bigint };
type Cached = {
  readonly version: number;
  readonly newest: ReadonlyMap<string, NewestCarrier>;
  readonly parents: RevisedParents;
};

const cache = new WeakMap<Store, Promise<Cached>>();

/**
 * The parents that a source named, or took back, after it was first read. Cached as long as nothing
 * is committed: the same map as long as it says the same, also for concurrent callers.
 */
export async function revisedParents(store: Store): Promise<RevisedParents> {
  const before = cache.get(store)?.catch(() => undefined);
  const now = refresh(store, before);
  cache.set(store, now);
  return (await now).parents;
}

async function refresh(
  store: Store,
  previous: Promise<Cached | undefined> | undefined,
): Promise<Cached> {
  const before = await previous;
  // Asked first: what is read below may be newer, and is then read once more, but is never older.
  const version = await store.table("messages").version();
  if (before?.version === version) return before;
  const newest = await newestCarriers(store);
  const changed = [...newest].filter(([id, { id: row }]) => before?.newest.get(id)?.id !== row);
  let parents = before?.parents ?? new Map<string, RevisedParent>();
  if (changed.length > 0) parents = new Map([...parents, ...(await parentsIn(store, changed))]);
  return { version, newest, parents };
}

/** Applies the result of {@link revisedParents} to these parents. */
export function setRevisedParents(
  parents: Map<string, string | null>,
  revised: RevisedParents,
): void {
  for (const [id, { parentId }] of revised) if (parents.has(id)) parents.set(id, parentId);
}

/** The newest carrier of each session that has one. */
async function newestCarriers(store: Store): Promise<Map<string, NewestCarrier>> {
  const newest = new Map<string, NewestCarrier>();
  const columns = ["session_id", "id", "revision"];
  // By their ids, which have an index.
  const where = and(prefix("id", revisionPrefix), eq("revises", sessionItself));
  for await (const rows of store.table("messages").scan({ columns, where })) {
    for (const row of rows) {
      const sessionId = String(row["session_id"]);
      const carrier = { id: String(row["id"]), revision: BigInt(row["revision"] as bigint) };
      const other = newest.get(sessionId);
      if (!other || compareRevisions(carrier, other) > 0) newest.set(sessionId, carrier);
    }
  }
  return newest;
}

async function parentsIn(
  store: Store,
  carriers: readonly (readonly [sessionId: string, carrier: NewestCarrier])[],
): Promise<Map<string, RevisedParent>> {
  const parents = new Map<string, RevisedParent>();
  const sessions = new Map(carriers.map(([sessionId, { id }]) => [id, sessionId]));
  const columns = ["session_id", "id", "options"];
  for (const ids of idChunks([...sessions.keys()])) {
    const where = and(oneOf("id", ids), eq("revises", sessionItself));
    for await (const rows of store.table("messages").scan({ columns, where })) {
      for (const row of rows) {
        const sessionId = String(row["session_id"]);
        const parent = parentOf(row);
        if (parent && sessions.get(String(row["id"])) === sessionId) parents.set(sessionId, parent);
      }
    }
  }
  return parents;
}

function parentOf(row: Row): RevisedParent | undefined {
  const { session } = bagOf(readableOptions(row) ?? {}, "pond");
  if (!isJsonObject(session)) return undefined;
  const { parent_session_id: parent, parent_message_id: cut } = session;
  const source = objectAt(objectAt(session, "options"), "source");
  return {
    parentId: typeof parent === "string" ? parent : null,
    parentMessageId: typeof cut === "string" ? cut : null,
    isFork: typeof parent === "string" && saysFork(source, typeof cut === "string"),
  };
}
