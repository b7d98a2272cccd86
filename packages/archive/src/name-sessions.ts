import { qualifiedId } from "@pond/sessions";
import { hasDifferentStart, idAtClient, idWithStart, type SessionStart } from "@pond/sessions/rows";
import { and, eq, isNull, type Store } from "@pond/substrate";
import { SessionNames } from "./session-names.ts";
import { type Sessions, sessionsOf } from "./sessions-of.ts";

/** The names that a store's sessions have in another store, and the sessions of both. */
export type NamedSessions = {
  readonly names: SessionNames;
  readonly source: Sessions;
  readonly target: Sessions;
};

/**
 * The names for the sessions of one store in another, where that has other sessions with the same
 * ids: of other clients, or of the same client begun in another project. They are the names that a
 * sync would give them there. A session that already has such a name here may have its own id
 * there.
 *
 * @param occupied - Ids under which the other store has messages of other sessions, and no session
 * yet.
 */
export async function nameSessions(
  from: Store,
  to: Store,
  occupied: ReadonlySet<string>,
): Promise<NamedSessions> {
  const [source, target] = [await sessionsOf(from), await sessionsOf(to)];
  const naming = new Naming(
    { store: from, sessions: source },
    { store: to, sessions: target },
    occupied,
  );
  return { names: new SessionNames(await naming.names()), source, target };
}

/**
 * True if the other store would still give these sessions the same names; one may have been taken
 * in the meantime.
 */
export async function areNamesCurrent(
  from: Store,
  to: Store,
  { names, occupied }: { readonly names: SessionNames; readonly occupied: ReadonlySet<string> },
  sessionNames: ReadonlySet<string>,
): Promise<boolean> {
  await to.table("sessions").refresh();
  const { names: now } = await nameSessions(from, to, occupied);
  return [...sessionNames].every((name) => now.nameOf(names.idOf(name)) === name);
}

type NamingStore = { readonly store: Store; readonly sessions: Sessions };

class Naming {
  readonly #from: NamingStore;
  readonly #to: NamingStore;
  readonly #occupied: ReadonlySet<string>;
  /** By the id of the session; no two of them may share a name. */
  readonly #names: Map<string, string> = new Map();
  readonly #taken: Set<string> = new Set();

  constructor(from: NamingStore, to: NamingStore, occupied: ReadonlySet<string>) {
    this.#from = from;
    this.#to = to;
    this.#occupied = occupied;
  }

  /** Names by ids, where they differ. */
  async names(): Promise<Map<string, string>> {
    const sessions = [...this.#from.sessions];
    // A session that is already there has its name; a new one gets one of the names that are left.
    for (const [id] of sessions) if (await this.#isSame(id, id)) this.#take(id, id);
    for (const [id, session] of sessions) {
      const name = this.#names.has(id) ? undefined : this.#existingName(id, session);
      if (name !== undefined) this.#take(id, name);
    }
    for (const [id, session] of sessions) {
      if (!this.#names.has(id)) this.#take(id, await this.#newName(id, session));
    }
    return new Map([...this.#names].filter(([id, name]) => id !== name));
  }

  #take(id: string, name: string): void {
    this.#names.set(id, name);
    this.#taken.add(name);
  }

  /** True if the other store has that very session, or a copy of it, under this name. */
  async #isSame(id: string, name: string): Promise<boolean> {
    const [session, stored] = [this.#from.sessions.get(id), this.#to.sessions.get(name)];
    if (session === undefined || session.sourceAgent !== stored?.sourceAgent) return false;
    if (!hasDifferentStart(session, stored)) return true;
    return sharesMessage(this.#from.store, id, this.#to.store, name, stored.project);
  }

  /** The different name under which the other store has a session. */
  #existingName(id: string, session: SessionStart): string | undefined {
    const { sourceAgent: agent, createdAt } = session;
    const own = idAtClient(id, session);
    const hasSameStartTime = (name: string): boolean => {
      const stored = this.#to.sessions.get(name);
      return stored?.sourceAgent === agent && stored.createdAt === createdAt;
    };
    const before = qualifiedId(agent, "");
    const unqualified = id.startsWith(before) ? id.slice(before.length) : undefined;
    const isAlsoHere = this.#from.sessions.get(unqualified ?? id)?.sourceAgent === agent;
    const names = [
      this.#to.sessions.has(id) ? undefined : qualifiedId(agent, id),
      own,
      isAlsoHere ? undefined : unqualified,
      idWithStart(own ?? id, session),
      own === undefined && unqualified !== undefined
        ? idWithStart(unqualified, session)
        : undefined,
      own === undefined ? undefined : qualifiedId(agent, own),
    ];
    return names.find((name) => name && hasSameStartTime(name) && !this.#taken.has(name));
  }

  async #newName(id: string, session: SessionStart): Promise<string> {
    const { sourceAgent: agent } = session;
    const isFree = (name: string): boolean => {
      const isOfOther = name !== id && this.#from.sessions.has(name);
      const isOccupied = this.#to.sessions.has(name) || this.#occupied.has(name);
      return !isOccupied && !this.#taken.has(name) && !isOfOther;
    };
    const isOwn = async (name: string): Promise<boolean> =>
      !this.#taken.has(name) && (await this.#isSame(id, name));
    if (isFree(id)) return id;
    // A session of another client there leaves this one the name that says its own client; a sync
    // takes the session of that name there for this one.
    const qualified = qualifiedId(agent, id);
    // It is not known whose session an occupied name will be.
    const isKnown = this.#to.sessions.has(id) || !this.#occupied.has(id);
    const isOfOther = isKnown && this.#to.sessions.get(id)?.sourceAgent !== agent;
    if (isOfOther && (isFree(qualified) || (await isOwn(qualified)))) return qualified;
    let name = idWithStart(idAtClient(id, session) ?? id, session);
    while (!isFree(name) && !(await isOwn(name))) name = qualifiedId(agent, name);
    return name;
  }
}

/** True if the other store's session of that name has a message of this session. */
async function sharesMessage(
  from: Store,
  id: string,
  to: Store,
  name: string,
  project: string,
): Promise<boolean> {
  const columns = ["id", "timestamp"];
  const given = and(eq("session_id", id), isNull("revises"));
  const times = new Map<string, bigint>();
  for await (const rows of from.table("messages").scan({ columns, where: given })) {
    for (const row of rows) times.set(String(row["id"]), BigInt(row["timestamp"] as bigint));
  }
  const stored = and(eq("session_id", name), eq("project", project), isNull("revises"));
  for await (const rows of to.table("messages").scan({ columns, where: stored })) {
    // A record without an id of its own may say the same in both; its time is that of the session.
    const isShared = rows.some(
      (row) => times.get(String(row["id"])) === BigInt(row["timestamp"] as bigint),
    );
    if (isShared) return true;
  }
  return false;
}
