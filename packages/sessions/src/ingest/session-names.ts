import type { Session } from "@pond/canonical";
import { PackedEntries } from "@pond/canonical/adapter";
import { oneOf } from "@pond/substrate";
import { idChunks } from "../rows/id-chunks.ts";
import type { Labels } from "../rows/to-rows.ts";
import type { SessionStore } from "../session-store.ts";
import type { PeekableEvents } from "./peekable-events.ts";
import { type QualifiedNames, qualifiedId, qualifiedIds } from "./qualified-ids.ts";
import {
  hasDifferentStart,
  idWithStart,
  nearestByProject,
  peekMessageTimes,
  ReusedIds,
  type SessionStart,
  sessionSharingMessages,
  startColumns,
  startFromRow,
  startOf,
} from "./reused-ids.ts";

/** A session by its client's id, with what is needed to tell which session it belongs below. */
export type Child = Pick<Session, "source_agent" | "project"> & { readonly id: string };

/** When and where a session began, by its id. A store may hold a hundred thousand. */
type PackedStart = readonly [id: string, sourceAgent: string, project: string, createdAt: string];

export type SessionNamesOptions = {
  /** Ids of all sessions that will come, if they are few: nothing is read of any other. */
  readonly sessionIds?: readonly string[] | undefined;
  /** False if every id stands for one session. */
  readonly shouldQualifyIds: boolean;
  /**
   * Stores what was taken in so far: rows of other sessions have to be there for comparison.
   */
  readonly commit: () => Promise<void>;
};

/** Knows the stored sessions, and the names of sessions that share their id with another one. */
export class SessionNames {
  readonly shouldQualifyIds: boolean;
  /**
   * Ids of sessions that are left for the next run, because another session got them in the
   * meantime.
   */
  readonly deferredIds: Set<string> = new Set();
  readonly #sessions: SessionStore;
  readonly #sessionIds: readonly string[] | undefined;
  readonly #commit: () => Promise<void>;
  #isLoaded = false;
  readonly #known = new PackedEntries<PackedStart>();
  /** Sessions of one client that have the same id as another one, begun in other projects. */
  #reusedIds: ReusedIds = new ReusedIds([]);
  /** Sessions of other clients with the same id, as far as they were stored before. */
  #qualified: ReadonlyMap<string, readonly string[]> = new Map();
  /** Sessions after this many were presumed new, and may not have got their ids. */
  #settledCount = 0;

  constructor(sessions: SessionStore, options: SessionNamesOptions) {
    this.#sessions = sessions;
    this.#sessionIds = options.sessionIds;
    this.shouldQualifyIds = options.shouldQualifyIds;
    this.#commit = options.commit;
  }

  /** Reads, once, which sessions are stored. Before that, no session is known. */
  async load(): Promise<void> {
    if (this.#isLoaded) return;
    // A session may continue what another process stored a moment ago: unseen, it would begin anew.
    await this.#sessions.store.refresh();
    for (const ids of this.#sessionIds ? idChunks(this.#sessionIds) : [undefined]) {
      await this.#read(ids);
    }
    this.#reusedIds = new ReusedIds(this.#all());
    this.#qualified = this.shouldQualifyIds ? qualifiedIds(this.#all()) : new Map();
    this.#settledCount = this.#known.nextNumber;
    this.#isLoaded = true;
  }

  startOf(id: string): SessionStart | undefined {
    const known = this.#known.get(id);
    return known && startOfPacked(known);
  }

  /** The number of a session among those known. */
  numberOf(id: string): number | undefined {
    return this.#known.numberOf(id);
  }

  /** The session with such a number; undefined if its id was left to another one. */
  at(number: number): Child | undefined {
    const known = this.#known.at(number);
    if (known === undefined) return undefined;
    const [id, source_agent, project] = known;
    return { id, source_agent, project };
  }

  /** True if any session has the id of another client's session. */
  get hasQualified(): boolean {
    return qualifiedIds(this.#all()).size > 0;
  }

  /** Projects of the sessions that a client began under such an id elsewhere, by their own ids. */
  reusesOf(agent: string, clientId: string): ReadonlyMap<string, string> {
    return this.#reusedIds.of(agent, clientId);
  }

  /** Notes a session that came in. */
  add(session: Session): void {
    const { id } = session;
    if (this.#known.has(id)) return;
    const start = startOf(session);
    this.#set(id, start);
    this.#reusedIds.add(id, start);
  }

  /** Ids of the messages that other clients have in their own sessions with this id. */
  async foreignMessageIds(sessionId: string): Promise<ReadonlySet<string>> {
    const qualified = this.#qualified.get(sessionId);
    if (qualified === undefined) return new Set();
    const where = oneOf("session_id", qualified);
    const rows = await this.#sessions.store.table("messages").rows({ columns: ["id"], where });
    return new Set(rows.map(({ id }) => String(id)));
  }

  /** The names of a session whose id, or whose parent's id, another session has. */
  async qualify(session: Session, events: PeekableEvents): Promise<QualifiedNames | undefined> {
    if (!this.shouldQualifyIds) return undefined;
    await this.load();
    const { id, parent_session_id: parentId, source_agent: agent } = session;
    for (const each of [id, qualifiedId(agent, id)]) await this.#settle(each);
    const named = this.#isQualified(agent, id) ? qualifiedId(agent, id) : id;
    const own = {
      id: await this.#idAmongReuses(session, named, events),
      parentId: parentId === undefined ? undefined : this.parentName(session, parentId),
    };
    if (own.id === id && own.parentId === parentId) return undefined;
    const bases = [...new Set([id, qualifiedId(agent, id)])].flatMap((sessionId): Labels[] => {
      const start = sessionId === own.id ? undefined : this.startOf(sessionId);
      return start ? [{ sessionId, sourceAgent: start.sourceAgent, project: start.project }] : [];
    });
    return { ...own, bases };
  }

  /**
   * The name of its parent.
   *
   * @param clientId - The parent's id at the client, which may have begun several under it.
   */
  parentName({ id, source_agent: agent, project }: Child, clientId: string): string {
    // A parent is a soft reference: that of a copied session may come later.
    const isQualified =
      this.#isQualified(agent, clientId) &&
      (this.#isQualified(agent, id) || this.#known.has(qualifiedId(agent, clientId)));
    const name = isQualified ? qualifiedId(agent, clientId) : clientId;
    const others = this.#reusedIds.of(agent, clientId);
    const stored = this.startOf(name);
    const all = stored ? [[name, stored.project] as const, ...others] : others;
    return nearestByProject(all, project) ?? name;
  }

  /** The id of a session that its client may have begun in several projects under one. */
  async #idAmongReuses(session: Session, id: string, events: PeekableEvents): Promise<string> {
    const start = startOf(session);
    const own = idWithStart(session.id, start);
    if (this.#known.has(own)) return own;
    const stored = this.startOf(id);
    if (stored === undefined || !hasDifferentStart(start, stored)) return id;
    const others = this.#reusedIds.of(session.source_agent, session.id);
    const same = [...others].find(([, project]) => project === session.project);
    if (same) return same[0];
    await this.#commit();
    const all = new Map([[id, stored.project], ...others]);
    return (
      (await sessionSharingMessages(this.#sessions.store, all, await peekMessageTimes(events))) ??
      own
    );
  }

  /** The other client's session may be in another store, for example if only these were copied. */
  #isQualified(agent: string, id: string): boolean {
    const stored = this.startOf(id);
    if (stored) return stored.sourceAgent !== agent;
    return this.startOf(qualifiedId(agent, id))?.sourceAgent === agent;
  }

  /** Another session may have got the id of one that was read before, and then keeps it. */
  async #settle(id: string): Promise<void> {
    if (!this.#isUnsettled(id)) return;
    await this.#commit();
    // By now all of them may have: a copied folder holds many sessions with the same id.
    const taken = [...this.deferredIds].filter((each) => this.#isUnsettled(each));
    for (const each of taken) this.#known.delete(each);
    for (const ids of idChunks(taken)) await this.#read(ids);
    this.#settledCount = this.#known.nextNumber;
    if (taken.length > 0) this.#reusedIds = new ReusedIds(this.#all());
  }

  #isUnsettled(id: string): boolean {
    const number = this.#known.numberOf(id);
    return number !== undefined && number >= this.#settledCount;
  }

  *#all(): Generator<readonly [id: string, SessionStart]> {
    for (const known of this.#known) yield [known[0], startOfPacked(known)];
  }

  #set(id: string, { sourceAgent, project, createdAt }: SessionStart): void {
    this.#known.set([id, sourceAgent, project, String(createdAt)]);
  }

  /** Notes what is stored of these sessions, or of all. */
  async #read(ids: readonly string[] | undefined): Promise<void> {
    const columns = ["id", ...startColumns];
    const table = this.#sessions.store.table("sessions");
    for await (const rows of table.scan({ columns, where: ids && oneOf("id", ids) })) {
      for (const row of rows) this.#set(String(row["id"]), startFromRow(row));
    }
  }
}

function startOfPacked([, sourceAgent, project, createdAt]: PackedStart): SessionStart {
  return { sourceAgent, project, createdAt: BigInt(createdAt) };
}
