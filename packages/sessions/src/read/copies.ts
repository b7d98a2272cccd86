import type { Origin } from "@pond/canonical/adapter";
import { copyLetters, copyUuid } from "@pond/canonical/foreign";
import { oneOf, type Store } from "@pond/substrate";
import { sessionItself } from "../revisions/reconcile.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { upFrom, withForksApart } from "./ancestry.ts";
import { forksIn } from "./forks.ts";
import { laterParents, setLaterParents } from "./later-parents.ts";

/**
 * A session that may be a copy of another client's session, which `restore` made and a sync read.
 */
export type MaybeCopy = { readonly id: string; readonly sourceAgent: string };

/**
 * The copies that nobody has continued, each with the session it was made from. A copy's id follows
 * from the id of that session, and its times are that session's, or those of what it was forked
 * from; anything said in it later has a time of its own.
 *
 * @param ids - Of the sessions that they may have been made from.
 */
export async function untouchedCopies(
  store: Store,
  sessions: readonly MaybeCopy[],
  ids: Iterable<string>,
): Promise<Map<string, string>> {
  const originals = originalsOf(sessions, ids);
  if (originals.size === 0) return new Map();
  const moments = await momentsOf(store, new Set([...originals.keys(), ...originals.values()]));
  const isUntouched = ([copy, original]: readonly [string, string]): boolean => {
    const [own, known] = [moments.get(copy), moments.get(original)];
    if (own === undefined || known === undefined || own.isRevised) return false;
    return [...own.times].every((time) => known.times.has(time) || known.timesAbove.has(time));
  };
  return new Map([...originals].filter(isUntouched));
}

// No client derives ids from names, and opencode counts the ids of a millisecond from one.
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const lettered = /^ses_[0-9a-f]{9}fff(?<letters>[0-9A-Za-z]{14})$/;

/**
 * The session that each copy was made from, by the copy's id; sessions that are not copies are left
 * out.
 */
export function originalsOf(
  sessions: readonly MaybeCopy[],
  ids: Iterable<string>,
): ReadonlyMap<string, string> {
  const copiesByName = new Map<string, string>();
  const targets = new Map<Origin, (target: Origin, id: string) => string>();
  for (const { id, sourceAgent } of sessions) {
    const letters = lettered.exec(id)?.groups?.["letters"];
    if (letters === undefined && !uuid.test(id)) continue;
    copiesByName.set(`${sourceAgent} ${letters ?? id}`, id);
    targets.set(sourceAgent, letters === undefined ? copyUuid : copyLetters);
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
type Moments = {
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

/** The moments of sessions with everything below them, by their ids. Reads no texts. */
async function momentsOf(
  store: Store,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Moments>> {
  const moments = new Map([...ids].map((id): [string, Moments] => [id, nothingYet()]));
  const { parents, began } = await storedFamilies(store);
  const later = await laterParents(store);
  setLaterParents(parents, later);
  const forks = await forksIn(store, later);
  // Continuing a fork is not continuing what it was forked from.
  const apart = withForksApart(parents, forks);
  /** For each session, the moments of the sessions that it belongs to. */
  const ofMembers = new Map<string, readonly Moments[]>();
  for (const id of began.keys()) {
    const own = upFrom(apart, id).flatMap((each) => moments.get(each) ?? []);
    if (own.length > 0) ofMembers.set(id, own);
  }
  /** For each session, the moments of sessions forked from it, directly or through other forks. */
  const ofForks = new Map<string, Moments[]>();
  for (const [id, own] of moments) {
    if (!forks.has(id)) continue;
    for (const above of upFrom(parents, id).slice(1)) addTo(ofForks, above, own);
  }
  const note = (id: string, micros: bigint): void => {
    const milliseconds = micros / 1000n;
    for (const { times } of ofMembers.get(id) ?? []) times.add(milliseconds);
    for (const { timesAbove } of ofForks.get(id) ?? []) timesAbove.add(milliseconds);
  };
  for (const [id, micros] of began) note(id, micros);
  const columns = ["session_id", "timestamp", "revises"];
  for (const chunk of idChunks([...new Set([...ofMembers.keys(), ...ofForks.keys()])])) {
    const where = oneOf("session_id", chunk);
    for await (const rows of store.table("messages").scan({ columns, where })) {
      for (const { session_id, timestamp, revises } of rows) {
        const id = String(session_id);
        note(id, BigInt(timestamp as bigint));
        // A message that its client moved, for example into an archive, says what it said.
        if (revises === null || revises === sessionItself) continue;
        for (const each of ofMembers.get(id) ?? []) each.isRevised = true;
      }
    }
  }
  return moments;
}

/** The parents that were stored with sessions, and when each session began, in microseconds. */
async function storedFamilies(store: Store): Promise<{
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

function nothingYet(): Moments {
  return { times: new Set(), timesAbove: new Set(), isRevised: false };
}

function addTo<Value>(lists: Map<string, Value[]>, id: string, value: Value): void {
  const list = lists.get(id);
  if (list) list.push(value);
  else lists.set(id, [value]);
}
