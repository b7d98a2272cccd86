import { type SessionStore, untouchedCopies } from "@pond/sessions";
import type { RankedRoot } from "./fuse.ts";
import type { Roots } from "./roots.ts";

type Ranking = { readonly ranked: readonly RankedRoot[]; readonly roots: Roots };

/**
 * Of a conversation that was put into another client too, only the first is shown, where it is found
 * itself; a copy that somebody has gone on in is a session of its own.
 *
 * @param found - The sessions something was found in.
 */
export async function withoutCopies(
  { store }: SessionStore,
  { ranked, roots }: Ranking,
  found: ReadonlySet<string>,
): Promise<readonly RankedRoot[]> {
  const listed = new Set(ranked.map(({ rootId }) => rootId));
  const sessions = [...listed].flatMap((id) => {
    const sourceAgent = roots.labels(id)?.sourceAgent;
    return sourceAgent === undefined ? [] : [{ id, sourceAgent }];
  });
  const copies = await untouchedCopies(store, sessions, new Set([...listed, ...found]));
  return ranked.filter(({ rootId }) => {
    const original = copies.get(rootId);
    return original === undefined || !listed.has(roots.rootOf(original) ?? "");
  });
}
