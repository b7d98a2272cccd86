import { rootOf, type SessionStore } from "@pond/sessions";
import { oneOf } from "@pond/substrate";
import { keepNewest } from "./kept.ts";

type Counts = Map<string, number>;
type Kept = { readonly rows: number; readonly isWhole: boolean; readonly counts: Counts };

const known = new WeakMap<SessionStore, Kept>();

const columns = ["id", "parent_session_id"];

// Of so many sessions all are counted at once, for every search to come.
const countedWhole = 20_000;
const keptCounts = countedWhole;
// A root may have a hundred thousand; who reads the answer wants to know of few or many.
const countedAtMost = 5_000;
const listedAtMost = 20_000;

/**
 * How many sessions are stored below each of these roots, at any depth; of very many not all. The
 * answers are kept: they hold while no session was added.
 */
export async function countSubAgents(
  sessions: SessionStore,
  rootIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sessions.store.table("sessions").count();
  let kept = known.get(sessions);
  if (kept?.rows !== rows) {
    const isWhole = rows <= countedWhole;
    kept = { rows, isWhole, counts: isWhole ? await countAll(sessions) : new Map() };
    known.set(sessions, kept);
  }
  const { isWhole, counts } = kept;
  const wanted = new Map(rootIds.map((id) => [id, counts.get(id)]));
  const missing = isWhole ? [] : rootIds.filter((id) => wanted.get(id) === undefined);
  for (const [root, count] of await countBelow(sessions, missing)) {
    counts.set(root, count);
    wanted.set(root, count);
  }
  keepNewest(counts, keptCounts);
  return new Map([...wanted].map(([root, count]) => [root, count ?? 0]));
}

/** The sessions stored below these roots, at any depth; of a great many not all. */
export async function subAgentsOf(
  sessions: SessionStore,
  rootIds: readonly string[],
): Promise<string[]> {
  const counts = await countSubAgents(sessions, rootIds);
  const parents = rootIds.filter((id) => counts.get(id) !== 0);
  return [...(await rootsBelow(sessions, parents, listedAtMost)).keys()];
}

async function countAll({ store }: SessionStore): Promise<Counts> {
  const rows = await store.table("sessions").rows({ columns });
  const parents = new Map(
    rows.map(({ id, parent_session_id: parent }) => [
      String(id),
      typeof parent === "string" ? parent : null,
    ]),
  );
  const counts: Counts = new Map();
  for (const id of parents.keys()) {
    const root = rootOf(parents, id);
    if (root !== id) counts.set(root, (counts.get(root) ?? 0) + 1);
  }
  return counts;
}

async function countBelow(sessions: SessionStore, roots: readonly string[]): Promise<Counts> {
  const counts = new Map(roots.map((id) => [id, 0]));
  for (const root of (await rootsBelow(sessions, roots, countedAtMost)).values()) {
    counts.set(root, (counts.get(root) ?? 0) + 1);
  }
  return counts;
}

/**
 * The sessions below these roots, each with its root.
 *
 * @param atMost - Of one level.
 */
async function rootsBelow(
  { store }: SessionStore,
  roots: readonly string[],
  atMost: number,
): Promise<Map<string, string>> {
  const known = new Map(roots.map((id) => [id, id]));
  for (let level = roots; level.length > 0; ) {
    const rows = await store.table("sessions").rows({
      columns,
      where: oneOf("parent_session_id", level),
      limit: atMost,
    });
    const below: string[] = [];
    for (const row of rows) {
      const id = String(row["id"]);
      const root = known.get(String(row["parent_session_id"]));
      // A session met twice descends from itself.
      if (root === undefined || known.has(id)) continue;
      known.set(id, root);
      below.push(id);
    }
    level = rows.length < atMost ? below : [];
  }
  for (const id of roots) known.delete(id);
  return known;
}
