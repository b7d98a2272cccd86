import type { Origin } from "@pond/canonical/adapter";
import { copyBase62, copyUuid } from "@pond/canonical/foreign";
import { oneOf, type Store } from "@pond/substrate";
import { unqualifiedId } from "../ingest/qualified-ids.ts";
import { sessionItself } from "../revisions/reconcile.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { selfAndAncestors, withForksAsRoots } from "./ancestry.ts";
import { loadForks } from "./forks.ts";
import { revisedParents, setRevisedParents } from "./revised-parents.ts";

/**
 * A session that may be a copy of another client's session, which a sync read: `restore` made it,
 * or somebody put one client's folder into the other's.
 */
export type CopyCandidate = { readonly id: string; readonly sourceAgent: string };

/**
 * The copies that nobody has continued, each with the session it was made from. A copy's id follows
 * from the id of that session, or is the same, and its times are that session's, or those of what
 * it was forked from; anything said in it later has a time of its own.
 *
 * @param ids - Of the sessions that they may have been made from.
 */
export async function untouchedCopies(
  store: Store,
  sessions: readonly CopyCandidate[],
  ids: Iterable<string>,
): Promise<Map<string, string>> {
  const known = new Set(ids);
  const originals = new Map([...originalsOf(sessions, known), ...namesakes(sessions, known)]);
  if (originals.size === 0) return new Map();
  const sessionTimes = await loadSessionTimes(
    store,
    new Set([...originals.keys(), ...originals.values()]),
  );
  const isUntouched = ([copy, original]: readonly [string, string]): boolean => {
    const [own, known] = [sessionTimes.get(copy), sessionTimes.get(original)];
    if (own === undefined || known === undefined || own.isRevised) return false;
    return [...own.times].every((time) => known.times.has(time) || known.timesAbove.has(time));
  };
  return new Map([...originals].filter(isUntouched));
}

/** For each session whose id is another client's, too: the session that has it in the store. */
function namesakes(
  sessions: readonly CopyCandidate[],
  ids: ReadonlySet<string>,
): readonly (readonly [id: string, namesake: string])[] {
  return sessions.flatMap(({ id, sourceAgent }) => {
    const own = unqualifiedId(sourceAgent, id);
    return own !== undefined && ids.has(own) ? [[id, own] as const] : [];
  });
}

// No client derives ids from names, and opencode counts the ids of a millisecond from one.
const copyUuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const opencodeCopyId = /^ses_[0-9a-f]{9}fff(?<letters>[0-9A-Za-z]{14})$/;

/**
 * The session that `restore` made each copy from, by the copy's id; sessions that are not such
 * copies are left out.
 */
export function originalsOf(
  sessions: readonly CopyCandidate[],
  ids: Iterable<string>,
): ReadonlyMap<string, string> {
  const copiesByName = new Map<string, string>();
  const targets = new Map<Origin, (target: Origin, id: string) => string>();
  for (const { id, sourceAgent } of sessions) {
    const letters = opencodeCopyId.exec(id)?.groups?.["letters"];
    if (letters === undefined && !copyUuidPattern.test(id)) continue;
    copiesByName.set(`${sourceAgent} ${letters ?? id}`, id);
    targets.set(sourceAgent, letters === undefined ? copyUuid : copyBase62);
  }
  const originals = new Map<string, string>();
  if (targets.size === 0) return originals;
  for (const id of ids) {
    for (const [target, nameOf] of targets) {
      const copy = copiesByName.get(`${target} ${nameOf(target, id)}`);
      if (copy !== undefined) originals.set(copy, id);
    }
  }
  return originals;
}

/** The times of a session and those below it, which tell whether something was added. */
type SessionTimes = {
  /**
   * When they began, and the times of all their messages, in milliseconds, which all clients know.
   */
  readonly times: Set<bigint>;
  /**
   * The same for the sessions above: some forks begin in the middle of them, and their copies hold
   * both.
   */
  readonly timesAbove: Set<bigint>;
  /** True if the source has rewritten messages that it held. */
  isRevised: boolean;
};

/** The times of sessions with everything below them, by their ids. Reads no texts. */
async function loadSessionTimes(
  store: Store,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, SessionTimes>> {
  const sessionTimes = new Map([...ids].map((id): [string, SessionTimes] => [id, noTimes()]));
  const { parents, began } = await loadParentsAndStarts(store);
  const revised = await revisedParents(store);
  setRevisedParents(parents, revised);
  const forks = await loadForks(store, revised);
  // Continuing a fork is not continuing what it was forked from.
  const forksAsRoots = withForksAsRoots(parents, forks);
  /** For each session, the times of the sessions that it belongs to. */
  const ofMembers = new Map<string, readonly SessionTimes[]>();
  for (const id of began.keys()) {
    const own = selfAndAncestors(forksAsRoots, id).flatMap((each) => sessionTimes.get(each) ?? []);
    if (own.length > 0) ofMembers.set(id, own);
  }
  /** For each session, the times of sessions forked from it, directly or through other forks. */
  const ofForks = new Map<string, SessionTimes[]>();
  for (const [id, own] of sessionTimes) {
    if (!forks.has(id)) continue;
    for (const above of selfAndAncestors(parents, id).slice(1)) addTo(ofForks, above, own);
  }
  const addTime = (id: string, micros: bigint): void => {
    const milliseconds = micros / 1000n;
    for (const { times } of ofMembers.get(id) ?? []) times.add(milliseconds);
    for (const { timesAbove } of ofForks.get(id) ?? []) timesAbove.add(milliseconds);
  };
  for (const [id, micros] of began) addTime(id, micros);
  const columns = ["session_id", "timestamp", "revises"];
  for (const chunk of idChunks([...new Set([...ofMembers.keys(), ...ofForks.keys()])])) {
    const where = oneOf("session_id", chunk);
    for await (const rows of store.table("messages").scan({ columns, where })) {
      for (const { session_id, timestamp, revises } of rows) {
        const id = String(session_id);
        addTime(id, BigInt(timestamp as bigint));
        // A message that its client moved, for example into an archive, says what it said.
        if (revises === null || revises === sessionItself) continue;
        for (const each of ofMembers.get(id) ?? []) each.isRevised = true;
      }
    }
  }
  return sessionTimes;
}

/** The parents that were stored with sessions, and when each session began, in microseconds. */
async function loadParentsAndStarts(store: Store): Promise<{
  readonly parents: Map<string, string | null>;
  readonly began: ReadonlyMap<string, bigint>;
}> {
  const parents = new Map<string, string | null>();
  const began = new Map<string, bigint>();
  const columns = ["id", "parent_session_id", "created_at"];
  for await (const rows of store.table("sessions").scan({ columns })) {
    for (const { id, parent_session_id: parent, created_at } of rows) {
      parents.set(String(id), typeof parent === "string" ? parent : null);
      began.set(String(id), BigInt(created_at as bigint));
    }
  }
  return { parents, began };
}

function noTimes(): SessionTimes {
  return { times: new Set(), timesAbove: new Set(), isRevised: false };
}

function addTo<Value>(lists: Map<string, Value[]>, id: string, value: Value): void {
  const list = lists.get(id);
  if (list) list.push(value);
  else lists.set(id, [value]);
}
