import { type SessionStore, untouchedCopies } from "@pond/sessions";
import type { RankedRoot } from "./fuse.ts";
import type { Roots } from "./roots.ts";

type Ranking = { readonly ranked: readonly RankedRoot[]; readonly roots: Roots };

/**
 * Leaves out copies of a conversation that was also put into another client, if the original is
 * found with them or before. A copy that somebody has continued is a session of its own. One filter
 * serves one ranking, whose segments come in order.
 */
export class CopyFilter {
  readonly #sessions: SessionStore;
  /** The sessions listed so far, and these. */
  readonly #shown: Set<string> = new Set();

  constructor(sessions: SessionStore) {
    this.#sessions = sessions;
  }

  /** @param found - The sessions in which something was found. */
  async removeCopies(
    { ranked, roots }: Ranking,
    found: ReadonlySet<string>,
  ): Promise<readonly RankedRoot[]> {
    const listed = new Set(ranked.map(({ rootId }) => rootId));
    // Below a root that is not stored there are several.
    const topmost = new Set<string>();
    for (const id of found) {
      if (!listed.has(roots.rootOf(id) ?? "")) continue;
      this.#shown.add(id);
      topmost.add(roots.topmostStored(id));
    }
    for (const id of topmost) this.#shown.add(id);
    const maybe = [...topmost].flatMap((id) => {
      const sourceAgent = roots.labels(id)?.sourceAgent;
      return sourceAgent === undefined ? [] : [{ id, sourceAgent }];
    });
    const copies = await untouchedCopies(this.#sessions.store, maybe, this.#shown);
    const originals = [...topmost].filter((id) => !copies.has(id));
    const kept = new Set(originals.map((id) => roots.rootOf(id)));
    return ranked.filter(({ rootId }) => kept.has(rootId));
  }
}
