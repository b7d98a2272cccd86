import type { SessionId } from "@pond/canonical";
import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import { and, eq, oneOf, type Store } from "@pond/substrate";
import { SessionNotFoundError } from "../errors.ts";
import { childrenOf, loadParents, rootsOf } from "../read/ancestry.ts";
import { Batches } from "../read/batches.ts";
import { loadSessionMessages } from "../read/content.ts";
import { loadOutlines, type StoredState } from "../read/outline.ts";
import { ReadBudget } from "../read/read-budget.ts";
import { withOriginalProject } from "../rows/original-project.ts";
import type { SessionStore } from "../session-store.ts";

/** What belongs to a lineage. */
export type LineageOptions = {
  /** As sources say now, or said first. Default: `last`. */
  readonly at?: StoredState;
  /**
   * True to make a session that another client wrote than its parent the root of a lineage of its
   * own.
   */
  readonly isCutByClient?: boolean;
  /** Called with sessions that hold a message whose digest says that it is not what was written. */
  readonly onDamaged?: ((sessionId: SessionId) => void) | undefined;
};

/**
 * Loads a session with every session below it, whole (`adapter-lineage-complete-restore`). A parent
 * that is not stored is no fault, because it is a soft reference. If sessions descend from
 * themselves, the one that is asked for is the root, and all others of the circle are below it.
 *
 * @throws {SessionNotFoundError}
 */
export function loadLineage(
  sessions: SessionStore,
  id: string,
  options: LineageOptions = {},
): Promise<Lineage> {
  return loadLineageWithin(new ReadBudget(), sessions, id, options);
}

/** The same within a budget. @throws {SessionNotFoundError} @throws {OverBudgetError} */
export async function loadLineageWithin(
  budget: ReadBudget,
  sessions: SessionStore,
  id: string,
  { at = "last", isCutByClient = false, onDamaged }: LineageOptions,
): Promise<Lineage> {
  const { store } = sessions;
  const root = await loadContent(store, id, at, onDamaged, budget);
  const client = isCutByClient ? root.session.source_agent : undefined;
  const descendants: SessionContent[] = [];
  const below = await descendantIds(store, id, at, client);
  const batches = contentBatches(store, at, onDamaged);
  while (descendants.length < below.length) {
    descendants.push(...(await batches.read(below.slice(descendants.length), budget)));
  }
  return { root, descendants };
}

/** The sessions to restore in order to restore every stored session: the roots of all lineages. */
export async function rootIds(
  { store }: SessionStore,
  { at = "last", isCutByClient = false }: LineageOptions = {},
): Promise<string[]> {
  const parents = new Map(await loadParents(store, at));
  if (isCutByClient) {
    const clients = await clientsOf(store);
    for (const [id, parent] of parents) {
      if (clients.get(parent ?? id) !== clients.get(id)) parents.set(id, null);
    }
  }
  // Sessions in a circle have no root; one of them is chosen, and the others are below it.
  return [...new Set(rootsOf(parents).values())];
}

/** The client that wrote each session. */
async function clientsOf(store: Store): Promise<ReadonlyMap<string, string>> {
  const rows = await store.table("sessions").rows({ columns: ["id", "source_agent"] });
  return new Map(rows.map(({ id, source_agent }) => [String(id), String(source_agent)]));
}

/**
 * Ids of all sessions below one, each once, parents first. Real graphs have three levels and more.
 *
 * @param client - Only sessions of this client are followed down; left out, those of all clients.
 */
async function descendantIds(
  store: Store,
  rootId: string,
  at: StoredState,
  client: string | undefined,
): Promise<string[]> {
  const found = new Set([rootId]);
  for (let level = [rootId]; level.length > 0; ) {
    const children = await childrenOf(store, level, { at });
    // A session has one parent: a path that reaches a session twice leads around through the root.
    level = [...children.keys()].filter((id) => !found.has(id));
    if (client !== undefined) level = await writtenBy(store, level, client);
    level.sort();
    for (const id of level) found.add(id);
  }
  found.delete(rootId);
  return [...found];
}

/** Those of the sessions that a client wrote. */
export async function writtenBy(
  store: Store,
  ids: readonly string[],
  client: string,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const where = and(oneOf("id", ids), eq("source_agent", client));
  const rows = await store.table("sessions").rows({ columns: ["id"], where });
  return rows.map(({ id }) => String(id));
}

/** A session, whole. @throws {SessionNotFoundError} @throws {OverBudgetError} */
export async function loadContent(
  store: Store,
  id: string,
  at: StoredState,
  onDamaged: LineageOptions["onDamaged"],
  budget: ReadBudget,
): Promise<SessionContent> {
  const [content] = await loadContents(store, [id], at, budget, onDamaged);
  if (content === undefined) throw new SessionNotFoundError(id);
  return content;
}

// More are no faster if they are small; many hundred agents of one session are read a few at a time.
const batchSize = { first: 8, most: 100 } as const;
// While they are read, all their rows are held besides what was made from them.
const bytesAtOnce = 4 * 1024 * 1024;

/** Reads whole sessions by their ids. @throws {SessionNotFoundError} */
export function contentBatches(
  store: Store,
  at: StoredState,
  onDamaged: LineageOptions["onDamaged"],
  bytes: number = bytesAtOnce,
): Batches<string, SessionContent> {
  return new Batches((ids, budget) => loadContents(store, ids, at, budget, onDamaged), {
    ...batchSize,
    bytes,
  });
}

async function loadContents(
  store: Store,
  ids: readonly string[],
  at: StoredState,
  budget: ReadBudget,
  onDamaged: LineageOptions["onDamaged"],
): Promise<SessionContent[]> {
  const outlines = await loadOutlines(store, ids, at, budget);
  const sessions = outlines.map(({ session, places }) => ({ sessionId: session.id, places }));
  const placed = await loadSessionMessages(store, sessions, budget, onDamaged);
  return outlines.map(({ session }, each) => ({
    session: withOriginalProject(session),
    messages: (placed[each] ?? []).map(({ message }) => message),
  }));
}
