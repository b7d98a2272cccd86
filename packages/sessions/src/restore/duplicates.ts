import type { Origin } from "@pond/canonical/adapter";
import { loadParents, type Parents, selfAndAncestors, withForksAsRoots } from "../read/ancestry.ts";
import { originalsOf, untouchedCopies } from "../read/copies.ts";
import { loadForks } from "../read/forks.ts";
import { revisedParents } from "../read/revised-parents.ts";
import type { SessionStore } from "../session-store.ts";

/** The sessions to leave out, so that a client is given each conversation once. */
export type Duplicates = {
  /** Copies that say nothing beyond what they were made from, with their sub-agents. */
  readonly copies: ReadonlySet<string>;
  /**
   * The originals of copies that the client has and somebody continued or put there, with their
   * sub-agents.
   */
  readonly originals: ReadonlySet<string>;
};

type Stored = { readonly id: string; readonly sourceAgent: string; readonly createdMs: bigint };

/**
 * What to leave out when all sessions are restored for a client. Sub-agents go with their session,
 * except for those that its copy lacks; forks count by themselves.
 */
export async function duplicatesFor({ store }: SessionStore, client: Origin): Promise<Duplicates> {
  const columns = ["id", "source_agent", "created_at"];
  const sessions = (await store.table("sessions").rows({ columns })).map(
    (row): Stored => ({
      id: String(row["id"]),
      sourceAgent: String(row["source_agent"]),
      createdMs: BigInt(row["created_at"] as bigint) / 1000n,
    }),
  );
  const byId = new Map(sessions.map((each) => [each.id, each]));
  const pairs = originalsOf(sessions, byId.keys());
  const untouched = await untouchedCopies(store, sessions, byId.keys());
  // What somebody said in a copy, or put there themselves, cannot be made again from the original.
  const keptCopies = [...pairs, ...untouched].filter(
    ([copy]) => pairs.has(copy) !== untouched.has(copy) && byId.get(copy)?.sourceAgent === client,
  );
  if (untouched.size + keptCopies.length === 0) return { copies: new Set(), originals: new Set() };
  const forks = await loadForks(store, await revisedParents(store));
  const members = membersOf(sessions, withForksAsRoots(await loadParents(store, "last"), forks));
  const originals = originalsToSkip(keptCopies, pairs, members);
  const isNeeded = (copy: string, original: string): boolean =>
    byId.get(copy)?.sourceAgent === client && originals.has(original);
  const stale = [...untouched].filter(([copy, original]) => !isNeeded(copy, original));
  const copies = stale.flatMap(([copy]) => (members.get(copy) ?? []).map(({ id }) => id));
  return { copies: new Set(copies), originals };
}

/** For each session: itself and the sessions below it that the same client wrote. */
function membersOf(
  sessions: readonly Stored[],
  parents: Parents,
): ReadonlyMap<string, readonly Stored[]> {
  const clients = new Map(sessions.map(({ id, sourceAgent }) => [id, sourceAgent]));
  const members = new Map<string, Stored[]>();
  for (const session of sessions) {
    for (const above of selfAndAncestors(parents, session.id)) {
      if (clients.get(above) !== session.sourceAgent) continue;
      const known = members.get(above);
      if (known) known.push(session);
      else members.set(above, [session]);
    }
  }
  return members;
}

function originalsToSkip(
  keptCopies: readonly (readonly [copy: string, original: string])[],
  pairs: ReadonlyMap<string, string>,
  members: ReadonlyMap<string, readonly Stored[]>,
): ReadonlySet<string> {
  const skipped = new Set<string>();
  for (const [copy, original] of keptCopies) {
    const copied = members.get(copy) ?? [];
    const own = new Set(copied.map(({ id }) => pairs.get(id)));
    // Not every client's sub-agents have ids derived from those of the originals.
    const began = new Set(copied.map(({ createdMs }) => createdMs));
    for (const { id, createdMs } of members.get(original) ?? []) {
      if (id === original || own.has(id) || began.has(createdMs)) skipped.add(id);
    }
  }
  return skipped;
}
