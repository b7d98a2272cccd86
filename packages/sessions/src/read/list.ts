import { fromRfc3339, toRfc3339 } from "@pond/canonical";
import { and, type Filter, isNotNull, isNull, oneOf, type Row, type Store } from "@pond/substrate";
import { liveMessages } from "../revisions/reconcile.ts";
import { storedColumns, storedMessage } from "../revisions/stored-messages.ts";
import type { SessionStore } from "../session-store.ts";
import { type Activity, lastActivity } from "./activity.ts";
import { type Parents, rootsOf, selfAndAncestors, withForksAsRoots } from "./ancestry.ts";
import { checkCount } from "./check-count.ts";
import { untouchedCopies } from "./copies.ts";
import { loadForks } from "./forks.ts";
import { isInProject } from "./project.ts";
import { type RevisedParents, revisedParents, setRevisedParents } from "./revised-parents.ts";
import { titles } from "./titles.ts";

/** Which sessions. */
export type ListOptions = {
  /** A project, or a folder above it. */
  readonly project?: string | undefined;
  readonly agent?: string | undefined;
  /** Only what is directly below this session: sub-agents and forks, each by itself. */
  readonly parent?: string | undefined;
  /** Microseconds since the epoch: only sessions in which something was written from then on. */
  readonly since?: bigint | undefined;
  /**
   * Only sessions in which something was written before, and from `since` on; they may have gone on
   * afterwards.
   */
  readonly until?: bigint | undefined;
  readonly limit?: number | undefined;
  /** The last session of the page before: only what follows it is listed. */
  readonly after?: Pick<ListedSession, "last_activity" | "session_id"> | undefined;
  /** Lists sub-agents beside their roots instead of counting them, and every copy. */
  readonly isFlat?: boolean;
};

/** A session and what it holds. */
export type ListedSession = {
  readonly session_id: string;
  readonly parent_session_id?: string;
  readonly source_agent: string;
  readonly project: string;
  readonly created_at: string;
  /**
   * Time of its last message, or of the last of its sub-agents' if those are folded; or of its
   * beginning, if that is later.
   */
  readonly last_activity: string;
  /** Its title in its client, or else the beginning of the first thing said in it. */
  readonly title?: string;
  readonly messages: number;
  /** Its sub-agents, at any depth. */
  readonly descendants: number;
};

const defaultLimit = 50;

/**
 * Sessions, the last active first. Sub-agents are counted with the session they served instead of
 * listed, and copies in other clients that nobody has continued are left out. A fork counts as a
 * session of its own.
 *
 * @throws {RangeError} for a limit that is not a number of sessions, or an `after` without a time.
 */
export async function listSessions(
  sessions: SessionStore,
  { limit = defaultLimit, project, agent, parent, ...others }: ListOptions = {},
): Promise<ListedSession[]> {
  checkCount("limit", limit);
  const { since, until, isFlat = parent !== undefined } = others;
  const after = others.after && activityOf(others.after);
  const { store } = sessions;
  const columns = ["id", "parent_session_id", "source_agent", "project", "created_at"];
  const rows = await store.table("sessions").rows({ columns });
  const revised = await revisedParents(store);
  const parents = parentsOf(rows, revised);
  const { rootsById, descendants } = fold(parents, await loadForks(store, revised));
  const listed = new Map<string, Row>();
  for (const row of rows) {
    const id = String(row["id"]);
    const isFoldedAway = !isFlat && rootsById.get(id) !== id;
    const isWanted = agent === undefined || row["source_agent"] === agent;
    const isThere = project === undefined || isInProject(String(row["project"]), project);
    const isBelow = parent === undefined || parents.get(id) === parent;
    if (!isFoldedAway && isWanted && isThere && isBelow) listed.set(id, row);
  }
  if (!isFlat) await dropCopies(store, rows, listed, rootsById);
  const listedAs = (id: string): string => (isFlat ? id : (rootsById.get(id) ?? id));
  const members = [...rootsById.keys()].filter((id) => listed.has(listedAs(id)));
  const bounds = { since, until, after, limit };
  const activity = await lastActivity(store, { members, listedAs, listed, ...bounds });
  const ids = activity.map(({ id }) => id);
  const [counts, titlesById] = await Promise.all([
    countMessages(store, ids),
    titles(sessions, ids),
  ]);
  return activity.flatMap(({ id, micros }): ListedSession[] => {
    const row = listed.get(id);
    if (row === undefined) return [];
    const { source_agent, project: own, created_at } = row;
    const above = parents.get(id);
    const title = titlesById.get(id);
    return [
      {
        session_id: id,
        ...(typeof above === "string" && { parent_session_id: above }),
        source_agent: String(source_agent),
        project: String(own),
        created_at: toRfc3339(BigInt(created_at as bigint)),
        last_activity: toRfc3339(micros),
        ...(title !== undefined && { title }),
        messages: counts.get(id) ?? 0,
        descendants: descendants.get(id) ?? 0,
      },
    ];
  });
}

function activityOf({ last_activity, session_id }: NonNullable<ListOptions["after"]>): Activity {
  const micros = fromRfc3339(last_activity);
  if (micros === undefined) throw new RangeError(`after: "${last_activity}" is not a time`);
  return { id: session_id, micros };
}

/**
 * Drops the copies of a conversation that was also put into another client, if the original is
 * there.
 */
async function dropCopies(
  store: Store,
  rows: readonly Row[],
  listed: Map<string, Row>,
  rootsById: ReadonlyMap<string, string>,
): Promise<void> {
  const found = [...listed].map(([id, row]) => ({ id, sourceAgent: String(row["source_agent"]) }));
  const ids = rows.map(({ id }) => String(id));
  const isListed = new Set(listed.keys());
  for (const [copy, original] of await untouchedCopies(store, found, ids)) {
    if (isListed.has(rootsById.get(original) ?? original)) listed.delete(copy);
  }
}

function parentsOf(rows: readonly Row[], revised: RevisedParents): Parents {
  const parents = new Map(
    rows.map(({ id, parent_session_id: parent }) => [
      String(id),
      typeof parent === "string" ? parent : null,
    ]),
  );
  setRevisedParents(parents, revised);
  return parents;
}

/**
 * The root of every session, and how many sessions are below each root that has some; forks count
 * by themselves.
 */
function fold(
  withForks: Parents,
  forks: ReadonlySet<string>,
): {
  readonly rootsById: ReadonlyMap<string, string>;
  readonly descendants: ReadonlyMap<string, number>;
} {
  const parents = withForksAsRoots(withForks, forks);
  const descendants = new Map<string, number>();
  for (const id of parents.keys()) {
    for (const above of selfAndAncestors(parents, id).slice(1)) add(descendants, above, 1);
  }
  return { rootsById: rootsOf(parents), descendants };
}

/** How many messages each session shows: carriers and messages with a tombstone do not count. */
async function countMessages(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  if (sessionIds.length === 0) return counts;
  const within = oneOf("session_id", sessionIds);
  const removed = await removedMessages(store, within);
  const where = and(within, isNull("revises"));
  for await (const rows of store.table("messages").scan({ columns: ["session_id", "id"], where })) {
    for (const row of rows) {
      const session = String(row["session_id"]);
      if (!removed.get(session)?.has(String(row["id"]))) add(counts, session, 1);
    }
  }
  return counts;
}

/** The messages of each session that are no longer in its source. */
async function removedMessages(store: Store, within: Filter): Promise<Map<string, Set<string>>> {
  const columns = ["session_id", ...storedColumns];
  const where = and(within, isNotNull("revises"));
  const carriers = await store.table("messages").rows({ columns, where });
  const bySession = Map.groupBy(carriers, (row) => String(row["session_id"]));
  return new Map(
    [...bySession].map(([session, rows]) => {
      const states = [...liveMessages(rows.map(storedMessage))];
      const gone = states.filter(([, { digest }]) => digest === null);
      return [session, new Set(gone.map(([id]) => id))];
    }),
  );
}

function add(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
