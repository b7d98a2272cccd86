import { rootOf, type SessionStore } from "@pond/sessions";
import { oneOf } from "@pond/substrate";
import { keepNewest } from "./kept.ts";
import { type KnownSessions, readLabels, type SessionLabels } from "./known-sessions.ts";

// In a store of a million a process that runs for long would come to hold them all.
const keptLabels = 120_000;

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
  { labels: all }: KnownSessions,
  sessionIds: Iterable<string>,
): Promise<Roots> {
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
    const read = missing.length > 0 ? await readLabels(sessions, oneOf("id", missing)) : [];
    for (const [id, labels] of read) {
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
