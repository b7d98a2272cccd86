import { rootOf, type SessionStore } from "@pond/sessions";
import { oneOf } from "@pond/substrate";
import { keepNewest } from "./kept.ts";

export type SessionLabels = {
  readonly parentId: string | null;
  readonly parentMessageId: string | null;
  readonly sourceAgent: string;
  readonly project: string;
  readonly createdAt: bigint;
};

const columns = [
  ...["id", "parent_session_id", "parent_message_id"],
  ...["source_agent", "project", "created_at"],
];
// All of so many are read at once: in 10 ms, which two searches take to ask for theirs.
const readWhole = 20_000;
// In a store of a million a process that runs for long would come to hold them all.
const keptLabels = 2 * readWhole;
const known = new WeakMap<SessionStore, Map<string, SessionLabels>>();

/** Session rows by id. Once stored they never change, so they are kept. */
export class Roots {
  readonly #labels: ReadonlyMap<string, SessionLabels>;
  readonly #parents: ReadonlyMap<string, string | null>;

  constructor(labels: ReadonlyMap<string, SessionLabels>) {
    this.#labels = labels;
    this.#parents = new Map([...labels].map(([id, { parentId }]) => [id, parentId]));
  }

  labels(id: string): SessionLabels | undefined {
    return this.#labels.get(id);
  }

  /** The topmost stored session above; undefined where the session itself is not stored. */
  rootOf(id: string): string | undefined {
    return this.#labels.has(id) ? rootOf(this.#parents, id) : undefined;
  }

  /** Compares two sessions: the one that began later first. */
  newerFirst(left: string, right: string): number {
    const one = this.#labels.get(left)?.createdAt ?? 0n;
    const other = this.#labels.get(right)?.createdAt ?? 0n;
    if (one !== other) return one > other ? -1 : 1;
    return left < right ? -1 : 1;
  }
}

/** Loads these sessions and all above them. */
export async function loadRoots(
  sessions: SessionStore,
  sessionIds: Iterable<string>,
): Promise<Roots> {
  const all = known.get(sessions) ?? (await readSome(sessions));
  known.set(sessions, all);
  const wanted = new Map<string, SessionLabels>();
  // A parent may come later than its child: what is missing is asked for again the next time.
  const asked = new Set<string>();
  for (let level = new Set(sessionIds); level.size > 0; ) {
    // Taken before anything is waited for: another search may forget what is known by now.
    for (const id of level) {
      const labels = all.get(id);
      if (labels !== undefined) wanted.set(id, labels);
    }
    const missing = [...level].filter((id) => !wanted.has(id));
    for (const { id, labels } of missing.length > 0 ? await sessionRows(sessions, missing) : []) {
      all.set(id, labels);
      wanted.set(id, labels);
    }
    const parents = new Set<string>();
    for (const id of level) {
      asked.add(id);
      const parent = wanted.get(id)?.parentId ?? null;
      if (parent !== null && !asked.has(parent)) parents.add(parent);
    }
    level = parents;
  }
  keepNewest(all, keptLabels);
  return new Roots(wanted);
}

/** What to begin with: every session, or none where there are very many. */
async function readSome(sessions: SessionStore): Promise<Map<string, SessionLabels>> {
  const count = await sessions.store.table("sessions").count();
  const rows = count <= readWhole ? await sessionRows(sessions) : [];
  return new Map(rows.map(({ id, labels }) => [id, labels]));
}

/** The rows of these sessions, or of all. */
async function sessionRows(
  { store }: SessionStore,
  ids?: readonly string[],
): Promise<{ readonly id: string; readonly labels: SessionLabels }[]> {
  const where = ids === undefined ? undefined : oneOf("id", ids);
  const rows = await store.table("sessions").rows({ columns, where });
  return rows.map((row) => {
    const parent = row["parent_session_id"];
    const parentMessage = row["parent_message_id"];
    const createdAt = row["created_at"];
    return {
      id: String(row["id"]),
      labels: {
        parentId: typeof parent === "string" ? parent : null,
        parentMessageId: typeof parentMessage === "string" ? parentMessage : null,
        sourceAgent: String(row["source_agent"]),
        project: String(row["project"]),
        createdAt: typeof createdAt === "bigint" ? createdAt : 0n,
      },
    };
  });
}
