import type { Session } from "@pond/canonical";
import { PackedEntries } from "@pond/canonical/adapter";
import { oneOf } from "@pond/substrate";
import { idChunks } from "../rows/id-chunks.ts";
import type { Labels } from "../rows/to-rows.ts";
import type { SessionStore } from "../session-store.ts";
import type { Ahead } from "./ahead.ts";
import { idApart, idsApart, type NamesApart } from "./apart.ts";
import {
  type Begun,
  BegunElsewhere,
  begunAbove,
  begunColumns,
  begunFromRow,
  begunOf,
  idBegunElsewhere,
  mayBeOther,
  sharing,
  timesAhead,
} from "./begun-elsewhere.ts";

/** A session by its client's id, with what is needed to tell which session it belongs below. */
export type Child = Pick<Session, "source_agent" | "project"> & { readonly id: string };

/** When and where a session began, by its id. A store may hold a hundred thousand. */
type Known = readonly [id: string, sourceAgent: string, project: string, createdAt: string];

export type SessionNamesOptions = {
  /** Ids of all sessions that will come, if they are few: nothing is read of any other. */
  readonly sessionIds?: readonly string[] | undefined;
  /** False if every id stands for one session. */
  readonly areClientsApart: boolean;
  /**
   * Stores what was taken in so far: rows of other sessions have to be there for comparison.
   */
  readonly commit: () => Promise<void>;
};

/** Knows the stored sessions, and the names of sessions that share their id with another one. */
export class SessionNames {
  readonly areClientsApart: boolean;
  /**
   * Ids of sessions that are left for the next run, because another session got them in the
   * meantime.
   */
  readonly putOff: Set<string> = new Set();
  readonly #sessions: SessionStore;
  readonly #sessionIds: readonly string[] | undefined;
  readonly #commit: () => Promise<void>;
  #isLoaded = false;
  readonly #known = new PackedEntries<Known>();
  /** Sessions of one client that have the same id as another one, begun in other projects. */
  #elsewhere: BegunElsewhere = new BegunElsewhere([]);
  /** Sessions of other clients with the same id, as far as they were stored before. */
  #apart: ReadonlyMap<string, readonly string[]> = new Map();
  /** Sessions after this many were thought new, and may not have got their ids. */
  #settled = 0;

  constructor(sessions: SessionStore, options: SessionNamesOptions) {
    this.#sessions = sessions;
    this.#sessionIds = options.sessionIds;
    this.areClientsApart = options.areClientsApart;
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
    this.#elsewhere = new BegunElsewhere(this.#all());
    this.#apart = this.areClientsApart ? idsApart(this.#all()) : new Map();
    this.#settled = this.#known.numbers;
    this.#isLoaded = true;
  }

  begun(id: string): Begun | undefined {
    const known = this.#known.get(id);
    return known && begunOfKnown(known);
  }

  /** True if any session has the id of another client's session. */
  get hasApart(): boolean {
    return idsApart(this.#all()).size > 0;
  }

  /** Projects of the sessions that a client began under such an id elsewhere, by their own ids. */
  begunElsewhere(agent: string, shared: string): ReadonlyMap<string, string> {
    return this.#elsewhere.of(agent, shared);
  }

  /** Notes a session that came in. */
  learn(session: Session): void {
    const { id } = session;
    if (this.#known.has(id)) return;
    const begun = begunOf(session);
    this.#note(id, begun);
    this.#elsewhere.add(id, begun);
  }

  /** Ids of the messages that other clients have in their own sessions with this id. */
  async idsOfOthers(sessionId: string): Promise<ReadonlySet<string>> {
    const apart = this.#apart.get(sessionId);
    if (apart === undefined) return new Set();
    const where = oneOf("session_id", apart);
    const rows = await this.#sessions.store.table("messages").rows({ columns: ["id"], where });
    return new Set(rows.map(({ id }) => String(id)));
  }

  /** The names of a session whose id, or whose parent's id, another session has. */
  async apart(session: Session, ahead: Ahead): Promise<NamesApart | undefined> {
    if (!this.areClientsApart) return undefined;
    await this.load();
    const { id, parent_session_id: parentId, source_agent: agent } = session;
    for (const each of [id, idApart(agent, id)]) await this.#settle(each);
    const named = this.#isNamedApart(agent, id) ? idApart(agent, id) : id;
    const own = {
      id: await this.#idElsewhere(session, named, ahead),
      parentId: parentId === undefined ? undefined : this.ofParent(session, parentId),
    };
    if (own.id === id && own.parentId === parentId) return undefined;
    const bases = [...new Set([id, idApart(agent, id)])].flatMap((sessionId): Labels[] => {
      const begun = sessionId === own.id ? undefined : this.begun(sessionId);
      return begun ? [{ sessionId, sourceAgent: begun.sourceAgent, project: begun.project }] : [];
    });
    return { ...own, bases };
  }

  /**
   * The name of its parent.
   *
   * @param shared - The parent's id at the client, which may have begun several under it.
   */
  ofParent({ id, source_agent: agent, project }: Child, shared: string): string {
    // A parent is a soft reference: that of a copied session may come later.
    const isApart =
      this.#isNamedApart(agent, shared) &&
      (this.#isNamedApart(agent, id) || this.#known.has(idApart(agent, shared)));
    const name = isApart ? idApart(agent, shared) : shared;
    const others = this.#elsewhere.of(agent, shared);
    const stored = this.begun(name);
    const all = stored ? [[name, stored.project] as const, ...others] : others;
    return begunAbove(all, project) ?? name;
  }

  /** The id of a session that its client may have begun in several projects under one. */
  async #idElsewhere(session: Session, id: string, ahead: Ahead): Promise<string> {
    const begun = begunOf(session);
    const own = idBegunElsewhere(session.id, begun);
    if (this.#known.has(own)) return own;
    const stored = this.begun(id);
    if (stored === undefined || !mayBeOther(begun, stored)) return id;
    const others = this.#elsewhere.of(session.source_agent, session.id);
    const same = [...others].find(([, project]) => project === session.project);
    if (same) return same[0];
    await this.#commit();
    const all = new Map([[id, stored.project], ...others]);
    return (await sharing(this.#sessions.store, all, await timesAhead(ahead))) ?? own;
  }

  /** The other client's session may be in another store, for example if only these were copied. */
  #isNamedApart(agent: string, id: string): boolean {
    const stored = this.begun(id);
    if (stored) return stored.sourceAgent !== agent;
    return this.begun(idApart(agent, id))?.sourceAgent === agent;
  }

  /** Another session may have got the id of one that was read before, and then keeps it. */
  async #settle(id: string): Promise<void> {
    if (!this.#isUnsettled(id)) return;
    await this.#commit();
    // By now all of them may have: a copied folder holds many sessions with the same id.
    const taken = [...this.putOff].filter((each) => this.#isUnsettled(each));
    for (const each of taken) this.#known.delete(each);
    for (const ids of idChunks(taken)) await this.#read(ids);
    this.#settled = this.#known.numbers;
    if (taken.length > 0) this.#elsewhere = new BegunElsewhere(this.#all());
  }

  #isUnsettled(id: string): boolean {
    const number = this.#known.numberOf(id);
    return number !== undefined && number >= this.#settled;
  }

  *#all(): Generator<readonly [id: string, Begun]> {
    for (const known of this.#known) yield [known[0], begunOfKnown(known)];
  }

  #note(id: string, { sourceAgent, project, createdAt }: Begun): void {
    this.#known.set([id, sourceAgent, project, String(createdAt)]);
  }

  /** Notes what is stored of these sessions, or of all. */
  async #read(ids: readonly string[] | undefined): Promise<void> {
    const columns = ["id", ...begunColumns];
    const table = this.#sessions.store.table("sessions");
    for await (const rows of table.scan({ columns, where: ids && oneOf("id", ids) })) {
      for (const row of rows) this.#note(String(row["id"]), begunFromRow(row));
    }
  }
}

function begunOfKnown([, sourceAgent, project, createdAt]: Known): Begun {
  return { sourceAgent, project, createdAt: BigInt(createdAt) };
}
