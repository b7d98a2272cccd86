import { rootOf, type SessionStore } from "@pond/sessions";
import { oneOf } from "@pond/substrate";
import { evictOldest } from "./evict-oldest.ts";
import { rootDigest } from "./page.ts";
import { readLabels, rootAbove, type SessionCache, type SessionLabels } from "./session-cache.ts";

// A long-running process over a million sessions would come to hold them all.
const maxCachedLabels = 120_000;

/** Session rows by id. Once stored they never change, so they are kept. */
export class Roots {
  readonly #labels: ReadonlyMap<string, SessionLabels>;
  readonly #parents: ReadonlyMap<string, string | null>;
  /** For roots that are not stored: when the first session directly below them began. */
  readonly #missingRootStarts: ReadonlyMap<string, bigint>;

  /** @param shown - Digests of the roots that earlier pages have shown. */
  constructor(labels: ReadonlyMap<string, SessionLabels>, shown: ReadonlySet<number>) {
    this.#labels = labels;
    // What was shown as a root stays one, whatever was stored above it since; otherwise it would be
    // shown again.
    const wasRoot = (id: string): boolean => shown.size > 0 && shown.has(rootDigest(id));
    this.#parents = new Map(
      [...labels].map(([id, { parentId }]) => [id, wasRoot(id) ? null : parentId]),
    );
    this.#missingRootStarts = missingRootStarts(labels);
  }

  labels(id: string): SessionLabels | undefined {
    return this.#labels.get(id);
  }

  /** The topmost session above, stored or not; undefined if the session itself is not stored. */
  rootOf(id: string): string | undefined {
    return this.#labels.has(id) ? rootAbove(this.#parents, this.topmostStored(id)) : undefined;
  }

  /** The topmost session above that is stored. */
  topmostStored(id: string): string {
    return rootOf(this.#parents, id);
  }

  /** Compares two roots: the later one first. */
  newerFirst(left: string, right: string): number {
    const one = this.#startOf(left);
    const other = this.#startOf(right);
    if (one !== other) return one > other ? -1 : 1;
    return left < right ? -1 : 1;
  }

  #startOf(root: string): bigint {
    return this.#labels.get(root)?.createdAt ?? this.#missingRootStarts.get(root) ?? 0n;
  }
}

function missingRootStarts(labels: ReadonlyMap<string, SessionLabels>): Map<string, bigint> {
  const began = new Map<string, bigint>();
  for (const { parentId, createdAt } of labels.values()) {
    if (parentId === null || labels.has(parentId)) continue;
    const known = began.get(parentId);
    if (known === undefined || createdAt < known) began.set(parentId, createdAt);
  }
  return began;
}

/**
 * Loads these sessions and all sessions above them.
 *
 * @param shown - Digests of the roots that earlier pages have shown.
 */
export async function loadRoots(
  sessions: SessionStore,
  { labels: all }: SessionCache,
  sessionIds: Iterable<string>,
  shown: ReadonlySet<number> = new Set(),
): Promise<Roots> {
  const wanted = new Map<string, SessionLabels>();
  // A parent may arrive after its child: a missing one is asked for again the next time.
  const asked = new Set<string>();
  for (let level = new Set(sessionIds); level.size > 0; ) {
    // Taken before anything is awaited, because another search may drop what is known by now.
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
  evictOldest(all, maxCachedLabels);
  return new Roots(wanted, shown);
}
