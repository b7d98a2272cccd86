import { qualifiedId } from "@pond/sessions";
import {
  foreignOwners,
  type Labels,
  type LiveMessage,
  liveMessages,
  type Owner,
  type RenamedSession,
  removeLeftovers,
  storedColumns,
  storedMessage,
} from "@pond/sessions/rows";
import { eq, type Row, type Store } from "@pond/substrate";
import { keyText } from "./key-order.ts";
import type { NamedSessions } from "./name-sessions.ts";
import { extended, within } from "./ranges.ts";
import type { LocatedStore } from "./row-locations.ts";
import { type Sessions, sessionsOf } from "./sessions-of.ts";

// Two concurrent copies may bring two sessions under one name. The one that stores the row of its
// session gets the name; the other gives its session another name and removes what it left. A copy
// that finds messages of another session does so at once: that session's row may arrive late or
// never, and nobody waits for it.

/** A session of a store, seen under the name that it has in another store. */
type NamedSession = {
  readonly labels: Labels;
  readonly live: ReadonlyMap<string, LiveMessage>;
  /** Its rows, each by its id and the session that it says it belongs to. */
  readonly rows: ReadonlySet<string>;
  /** Ids of the messages that say they belong to this session. */
  readonly ownIds: ReadonlySet<string>;
};

/** What a store shows of a session. */
export async function loadNamedSession(
  { store, names }: Pick<LocatedStore, "store" | "names">,
  name: string,
): Promise<NamedSession | undefined> {
  const id = names.idOf(name);
  const labels = (await sessionsOf(store, eq("id", id))).get(id);
  if (labels === undefined) return undefined;
  const { rows, live } = await messagesOf(store, id);
  const own = rows.filter((row) => keyOf(ownerOf(row)) === keyOf(labels));
  return {
    labels: { ...labels, sessionId: name },
    live,
    rows: new Set(rows.map(rowKey)),
    ownIds: new Set(own.map((row) => String(row["revises"] ?? row["id"]))),
  };
}

/** The names, out of these, under which another store has messages of other sessions. */
export async function occupiedNames(
  from: Pick<LocatedStore, "store" | "names">,
  to: Store,
  sessionNames: readonly string[],
): Promise<string[]> {
  const owners = await ownersByName(to, new Set(sessionNames));
  const sourceSessions: Sessions = owners.size === 0 ? new Map() : await sessionsOf(from.store);
  const occupied: string[] = [];
  for (const [name, targetOwners] of owners) {
    const own = sourceSessions.get(from.names.idOf(name));
    if (own === undefined || [...targetOwners.keys()].every((key) => key === keyOf(own))) continue;
    const session = await loadNamedSession(from, name);
    if (session === undefined) continue;
    const { rows } = await messagesOf(to, name);
    // Rows of others that the source itself has got there by this copy.
    const others = rows.filter((row) => keyOf(ownerOf(row)) !== keyOf(own));
    const left = others.filter((row) => !session.rows.has(rowKey(row)));
    const foreignKeys = [...new Set(left.map((row) => keyOf(ownerOf(row))))];
    const candidates = foreignKeys.flatMap((key) => targetOwners.get(key) ?? []);
    const foreign = await foreignOwners(to, session.labels, candidates, timesOf(session.live));
    if (foreign.length > 0) occupied.push(name);
  }
  return occupied;
}

/** The sessions that the messages under these names say they belong to. */
async function ownersByName(
  store: Store,
  sessionIds: ReadonlySet<string>,
): Promise<Map<string, Map<string, Owner>>> {
  const owners = new Map<string, Map<string, Owner>>();
  const [first, ...others] = sessionIds;
  if (first === undefined) return owners;
  const bounds = others.reduce(extended, { first, last: first });
  const columns = ["session_id", "source_agent", "project"];
  const table = store.table("messages");
  await table.refresh();
  for await (const rows of table.scan({ columns, where: within("session_id", bounds) })) {
    for (const row of rows) {
      const id = String(row["session_id"]);
      if (!sessionIds.has(id)) continue;
      const owner = ownerOf(row);
      owners.set(id, (owners.get(id) ?? new Map()).set(keyOf(owner), owner));
    }
  }
  return owners;
}

/**
 * Removes from sessions what was left in them by sessions that have another name now: by a copy
 * that lost a name to them, or by one that broke off before it knew.
 *
 * @param formerNames - Names that they had in this copy before, by their ids.
 */
export async function removeNameLeftovers(
  store: Store,
  { names, source, target }: NamedSessions,
  to: Store,
  formerNames: ReadonlyMap<string, ReadonlySet<string>>,
  at: bigint,
): Promise<void> {
  const named: RenamedSession[] = [];
  for (const [id, name] of names.entries()) {
    const labels = source.get(id);
    // By then it has everything of its own, except for what this copy did in the meantime.
    if (labels === undefined || (target.has(name) && !formerNames.has(id))) continue;
    const others = new Set([
      id,
      qualifiedId(labels.sourceAgent, id),
      ...(formerNames.get(id) ?? []),
    ]);
    others.delete(name);
    const bases = [...others].flatMap((each) => target.get(each) ?? []);
    const times = async (): Promise<ReadonlyMap<string, bigint>> => {
      return timesOf((await loadNamedSession({ store, names }, name))?.live ?? new Map());
    };
    named.push({ labels, bases, times });
  }
  await removeLeftovers(to, named, at);
}

async function messagesOf(
  store: Store,
  sessionId: string,
): Promise<{ readonly rows: readonly Row[]; readonly live: ReadonlyMap<string, LiveMessage> }> {
  const columns = [...storedColumns, "source_agent", "project"];
  const rows = await store.table("messages").rows({ columns, where: eq("session_id", sessionId) });
  return { rows, live: liveMessages(rows.map(storedMessage)) };
}

function timesOf(live: ReadonlyMap<string, LiveMessage>): Map<string, bigint> {
  return new Map([...live].map(([id, { timestamp }]) => [id, timestamp]));
}

function ownerOf(row: Row): Owner {
  return { sourceAgent: String(row["source_agent"]), project: String(row["project"]) };
}

function keyOf({ sourceAgent, project }: Owner): string {
  return keyText([sourceAgent, project]);
}

function rowKey(row: Row): string {
  return keyText([String(row["id"]), keyOf(ownerOf(row))]);
}
