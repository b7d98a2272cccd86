import type { Origin } from "@pond/canonical/adapter";
import { loadParents, upFrom } from "../read/ancestry.ts";
import { originalsOf, untouchedCopies } from "../read/copies.ts";
import { forksIn } from "../read/forks.ts";
import { laterParents } from "../read/later-parents.ts";
import type { SessionStore } from "../session-store.ts";
import { clientsOf } from "./lineage.ts";

/**
 * The sessions to leave out where all are restored for a client that has copies of some: the copies
 * that nobody went on in, and what all others were made of. Sub-agents go with their session.
 */
export async function doubledFor(
  { store }: SessionStore,
  client: Origin,
): Promise<ReadonlySet<string>> {
  const clients = await clientsOf(store);
  const own = [...clients].flatMap(([id, sourceAgent]) =>
    sourceAgent === client ? { id, sourceAgent } : [],
  );
  const originals = originalsOf(own, clients.keys());
  const untouched = await untouchedCopies(store, own, clients.keys());
  const doubled = new Set(
    [...originals].map(([copy, original]) => (untouched.has(copy) ? copy : original)),
  );
  if (doubled.size === 0) return doubled;
  const parents = new Map(await loadParents(store, "last"));
  for (const id of await forksIn(store, await laterParents(store))) parents.set(id, null);
  const isBelow = (id: string): boolean =>
    upFrom(parents, id).some(
      (above) => doubled.has(above) && clients.get(above) === clients.get(id),
    );
  return new Set([...clients.keys()].filter(isBelow));
}
