import { randomInt } from "node:crypto";
import type { ReadEvent, Session, SessionEvent } from "@pond/canonical";
import { oneOf } from "@pond/substrate";
import { isDamage } from "../errors.ts";
import { loadParents } from "../read/ancestry.ts";
import { idChunks } from "../rows/id-chunks.ts";
import type { Labels } from "../rows/to-rows.ts";
import { withPlainProject } from "../rows/whole-project.ts";
import type { SessionStore } from "../session-store.ts";
import { Ahead } from "./ahead.ts";
import { idApart, idsApart, type NamesApart, renamed } from "./apart.ts";
import { Batch } from "./batch.ts";
import {
  type Begun,
  BegunElsewhere,
  begunAbove,
  begunOf,
  idAtClient,
  idBegunElsewhere,
  mayBeOther,
  sharing,
  timesAhead,
} from "./begun-elsewhere.ts";
import type { Damaged } from "./damaged.ts";
import type { Gathered } from "./gathered.ts";
import { type Hung, hangBelow } from "./hang-below.ts";
import { Intake } from "./intake.ts";
import { loadKnown } from "./known.ts";
import { KnownSession } from "./known-session.ts";
import { NewSession } from "./new-session.ts";
import { emptyOutcome, type SessionHooks } from "./outcome.ts";
import type { SessionWriter } from "./session-writer.ts";
import { withStoredOrigin } from "./stored-origin.ts";
import { StoredSessions } from "./stored-sessions.ts";

/** How what comes in is stamped and batched. */
export type IngestOptions = {
  /** Name of this machine, kept with each session that names none of its own. */
  readonly host?: string | undefined;
  /** The time stamped on what is stored. */
  readonly now: () => Date;
  /** How much is gathered before it is committed. Three batches are held at most. */
  readonly maxBatchBytes?: number;
  /** Ids of all sessions that will come, where they are few: of the others nothing is read. */
  readonly sessionIds?: readonly string[] | undefined;
  /**
   * A session whose id is stored of another client gets an id of its own, `CLIENT:ID`, as where
   * the sessions of one client were copied to another, which reads them and goes on. So does one that
   * its client began in another project at another time, and that shares no message with the stored
   * one: `CLIENT:MICROSECONDS:ID`, by the time it began. Left out, it is taken for that session, whose
   * labels stay (spec 7.6).
   */
  readonly areClientsApart?: boolean;
  /** Stored messages that are not what was written, to be mended where they come again. */
  readonly damaged?: Damaged | undefined;
};

/** What names the session above one, by the ids of its client. */
type Child = Pick<Session, "source_agent" | "project"> & {
  readonly id: string;
  readonly parent_session_id?: string | undefined;
};

/** A session that was read, by its own name, and the name that its parent had then. */
type Hanging = { readonly name: string; readonly above: string; readonly child: Child };

// Tells processes apart that begin a batch in the same millisecond; in containers all have one pid.
const ownMicros = BigInt(randomInt(1000));
const defaultMaxBatchBytes = 16 * 1024 * 1024;

/**
 * Takes sessions one after the other and stores them in large commits. Once a commit has failed
 * every call throws: a later one could make a session visible that misses what was in it.
 */
export class Ingest {
  readonly #sessions: SessionStore;
  readonly #host: string | undefined;
  readonly #now: () => Date;
  readonly #maxBatchBytes: number;
  readonly #sessionIds: readonly string[] | undefined;
  readonly #areClientsApart: boolean;
  readonly #damaged: Damaged | undefined;
  readonly #stored: StoredSessions;
  #known: Map<string, Begun> | undefined;
  /** Sessions of one client that have the same id as another one, begun in other projects. */
  #elsewhere: BegunElsewhere | undefined;
  /** Sessions of other clients that have the same id, as far as they were there before. */
  #apart: ReadonlyMap<string, readonly string[]> | undefined;
  /** Ids of sessions that are left for the next run, because another session got them meanwhile. */
  readonly #putOff: Set<string> = new Set();
  /** Ids of sessions that were thought new, and may not have got them. */
  readonly #unsettled: Set<string> = new Set();
  /** Sessions whose parent may get a name of its own when it is read. */
  readonly #hanging: Hanging[] = [];
  #batch: Batch;
  /** The parts of the batch handed over last. */
  #below: Promise<void> = Promise.resolve();
  /** Every batch but that one. */
  #visible: Promise<void> = Promise.resolve();
  /** Every batch handed over so far. */
  #writing: Promise<void> = Promise.resolve();
  #lastMicros = 0n;

  constructor(sessions: SessionStore, options: IngestOptions) {
    this.#sessions = sessions;
    this.#host = options.host;
    this.#now = options.now;
    this.#maxBatchBytes = options.maxBatchBytes ?? defaultMaxBatchBytes;
    this.#sessionIds = options.sessionIds;
    this.#areClientsApart = options.areClientsApart ?? false;
    this.#damaged = options.damaged;
    this.#stored = new StoredSessions(sessions.store, options.sessionIds ?? []);
    this.#batch = this.#nextBatch();
  }

  /**
   * Takes the events of one session. What is wrong with it is in its outcome.
   *
   * @throws Whatever the events throw, and `SubstrateError` where the store cannot be
   * written to.
   */
  async session(events: AsyncIterable<ReadEvent>, hooks: SessionHooks): Promise<void> {
    const labels = { sessionId: "", sourceAgent: "", project: "" };
    const outcome = emptyOutcome();
    const gathered: Gathered = {
      labels,
      hooks,
      outcome,
      place: undefined,
      windowIds: undefined,
      unresolved: undefined,
      begun: undefined,
      parentId: undefined,
      hasLeftovers: false,
      copies: new Set(),
      isContested: false,
      bases: [],
    };
    const intake = new Intake(outcome);
    let isLogWhole = true;
    let writer: SessionWriter | undefined;
    let apart: NamesApart | undefined;
    let opened: Session | undefined;
    let child: Child | undefined;
    const closeMessage = (): void => {
      const message = intake.close();
      if (message) writer?.add(message, this.#batch);
    };
    const ahead = new Ahead(events);
    for await (const read of ahead) {
      const given = withPlainLabels(read);
      if (given.kind === "session") apart = await this.#namesApart(given.session, ahead);
      const event = apart ? renamed(given, apart) : given;
      switch (event.kind) {
        case "fault":
          outcome.faults += 1;
          isLogWhole &&= event.isLogWhole === true;
          break;
        case "pending":
          outcome.pending += 1;
          break;
        case "session":
          closeMessage();
          if (!intake.accept(event)) break;
          writer = await this.#open(gathered, event);
          if (apart && writer instanceof NewSession) gathered.bases = apart.bases;
          opened = event.session;
          if (given.kind === "session") child = given.session;
          break;
        case "message":
          closeMessage();
          intake.accept(event);
          if (this.#isFull(writer)) await this.#makeRoom(writer);
          break;
        case "part":
          intake.accept(event);
      }
    }
    closeMessage();
    const isWhole = isLogWhole && outcome.status !== "failed";
    if (writer) {
      await writer.finish(this.#batch, isWhole);
      if (opened) this.#learn(opened);
      const above = opened?.parent_session_id;
      if (this.#areClientsApart && opened && above !== undefined && child) {
        const { id, parent_session_id, source_agent, project } = child;
        const named = { id, parent_session_id, source_agent, project };
        this.#hanging.push({ name: opened.id, above, child: named });
      }
    }
    this.#batch.finish(gathered);
    if (this.#batch.bytes >= this.#maxBatchBytes) await this.#rotate();
  }

  /**
   * Commits what is left. Call it also after a failure: what was read before is kept where that is
   * possible, and nothing is being written any more when it settles.
   */
  async finish(): Promise<void> {
    try {
      await this.#rotate();
      await this.#writing;
      await this.#hangAnew();
    } finally {
      await Promise.allSettled([this.#below, this.#writing]);
    }
  }

  async #open(gathered: Gathered, { session, unresolved }: SessionEvent): Promise<SessionWriter> {
    this.#known ??= await this.#knownSessions();
    // The same session from a second source: what came from the first must be there to compare.
    if (this.#batch.holds(session.id)) await this.#rotate();
    const { id: sessionId, source_agent: sourceAgent, project } = session;
    const known = this.#known.get(sessionId);
    // Labels are denormalised onto messages, so the first ones stay (spec 7.6).
    gathered.labels = {
      sessionId,
      sourceAgent: known?.sourceAgent ?? sourceAgent,
      project: known?.project ?? project,
    };
    gathered.unresolved = unresolved;
    gathered.begun = begunOf(session);
    gathered.parentId = session.parent_session_id;
    gathered.outcome.session_id = sessionId;
    gathered.place = gathered.hooks.placeOf?.(sessionId);
    if (known === undefined) return new NewSession(session, this.#host, gathered);
    gathered.outcome.rejected = known.project !== project || known.sourceAgent !== sourceAgent;
    if (!this.#stored.isAhead(sessionId)) await this.#writing;
    const stored = await this.#stored.take(sessionId);
    const { store } = this.#sessions;
    const found = await loadKnown(store, stored, {
      place: gathered.place,
      host: this.#host,
      rowIds: this.#damaged?.get(sessionId),
      idsOfOthers: await this.#idsOfOthers(sessionId),
    });
    const { state } = found;
    const said = await withStoredOrigin(
      store,
      { session, unresolved },
      { session: stored.session, state },
    );
    return new KnownSession(store, said, gathered, found);
  }

  /** Ids of the messages that other clients have in their own sessions of this id. */
  async #idsOfOthers(sessionId: string): Promise<ReadonlySet<string>> {
    this.#apart ??= this.#areClientsApart ? idsApart(this.#known ?? []) : new Map();
    const apart = this.#apart.get(sessionId);
    if (apart === undefined) return new Set();
    const where = oneOf("session_id", apart);
    const rows = await this.#sessions.store.table("messages").rows({ columns: ["id"], where });
    return new Set(rows.map(({ id }) => String(id)));
  }

  /** The names of a session of which another one has the id, or that of its parent. */
  async #namesApart(session: Session, ahead: Ahead): Promise<NamesApart | undefined> {
    if (!this.#areClientsApart) return undefined;
    this.#known ??= await this.#knownSessions();
    const known = this.#known;
    const { id, parent_session_id: parentId, source_agent: agent } = session;
    for (const each of [id, idApart(agent, id)]) await this.#settle(each);
    this.#elsewhere ??= new BegunElsewhere(known);
    const named = this.#isNamedApart(agent, id) ? idApart(agent, id) : id;
    const own = {
      id: await this.#idElsewhere(session, named, ahead),
      parentId: this.#nameOfParent(session),
    };
    if (own.id === id && own.parentId === parentId) return undefined;
    const bases = [...new Set([id, idApart(agent, id)])].flatMap((sessionId): Labels[] => {
      const begun = sessionId === own.id ? undefined : known.get(sessionId);
      return begun ? [{ sessionId, sourceAgent: begun.sourceAgent, project: begun.project }] : [];
    });
    return { ...own, bases };
  }

  /** The id of a session that its client may have begun in several projects under one. */
  async #idElsewhere(session: Session, id: string, ahead: Ahead): Promise<string> {
    const begun = begunOf(session);
    const own = idBegunElsewhere(session.id, begun);
    if (this.#known?.has(own)) return own;
    const stored = this.#known?.get(id);
    if (stored === undefined || !mayBeOther(begun, stored)) return id;
    const others = this.#elsewhere?.of(session.source_agent, session.id) ?? new Map();
    const same = [...others].find(([, project]) => project === session.project);
    if (same) return same[0];
    return (await this.#sharing([[id, stored.project], ...others], ahead)) ?? own;
  }

  /** The other client's may be in another store, as where these were copied alone. */
  #isNamedApart(agent: string, id: string): boolean {
    const stored = this.#known?.get(id);
    if (stored) return stored.sourceAgent !== agent;
    return this.#known?.get(idApart(agent, id))?.sourceAgent === agent;
  }

  /** What its parent is called, of which the client may have begun several under that id. */
  #nameOfParent(child: Child): string | undefined {
    const { id, parent_session_id: shared, source_agent: agent, project } = child;
    if (shared === undefined) return undefined;
    // A parent is a soft reference: that of a copied session may come later.
    const isApart =
      this.#isNamedApart(agent, shared) &&
      (this.#isNamedApart(agent, id) || this.#known?.has(idApart(agent, shared)));
    const name = isApart ? idApart(agent, shared) : shared;
    const others = this.#elsewhere?.of(agent, shared) ?? new Map();
    const stored = this.#known?.get(name);
    const all = stored ? [[name, stored.project] as const, ...others] : others;
    return begunAbove(all, project) ?? name;
  }

  async #sharing(
    begun: Iterable<readonly [id: string, project: string]>,
    ahead: Ahead,
  ): Promise<string | undefined> {
    // What came of those must be there to compare.
    await this.#rotate();
    await this.#writing;
    return sharing(this.#sessions.store, new Map(begun), await timesAhead(ahead));
  }

  /** Another session may have got the id of one that was read before: then it is that one's. */
  async #settle(id: string): Promise<void> {
    if (!this.#unsettled.has(id)) return;
    await this.#rotate();
    await this.#writing;
    // All of them are by now: a copied folder holds many of one id.
    const taken = [...this.#unsettled].filter((each) => this.#putOff.has(each));
    this.#unsettled.clear();
    if (taken.length === 0) return;
    for (const each of taken) this.#known?.delete(each);
    for (const ids of idChunks(taken)) {
      for (const each of await this.#begun(ids)) this.#known?.set(...each);
    }
    this.#elsewhere = new BegunElsewhere(this.#known ?? []);
  }

  /** Hangs sessions that came before the one above them below the name that it has got. */
  async #hangAnew(): Promise<void> {
    const hung = this.#hanging.splice(0).map(({ name, above, child }): Hung => {
      const to = this.#putOff.has(name) ? above : (this.#nameOfParent(child) ?? above);
      return { sessionId: name, from: above, to };
    });
    const all = [...hung, ...(await this.#hungBefore())];
    const moved = all.filter(({ from, to }) => from !== to);
    await hangBelow(this.#sessions.store, moved);
  }

  /** Sessions that an earlier run hung below what was there: the one above them may have come since. */
  async #hungBefore(): Promise<readonly Hung[]> {
    const known = this.#known ?? new Map<string, Begun>();
    if (!this.#areClientsApart || idsApart(known).size === 0) return [];
    const parents = await loadParents(this.#sessions.store, "last").catch((error: unknown) => {
      if (isDamage(error)) return new Map<string, string>();
      throw error;
    });
    return [...parents].flatMap(([name, above]): Hung[] => {
      const stored = known.get(name);
      if (above === null || !stored || this.#putOff.has(name)) return [];
      const isOfClient = known.get(above)?.sourceAgent === stored.sourceAgent;
      const to = isOfClient ? this.#nearer(stored, above) : this.#ofClient(name, stored, above);
      return [{ sessionId: name, from: above, to }];
    });
  }

  /** The session of its own client that has the id of another one's, below which a session hangs. */
  #ofClient(id: string, { sourceAgent, project }: Begun, above: string): string {
    if (!this.#known?.has(idApart(sourceAgent, above))) return above;
    const child = { id, parent_session_id: above, source_agent: sourceAgent, project };
    return this.#nameOfParent(child) ?? above;
  }

  /**
   * The session that its client began nearer to where one works than the one that it hangs below,
   * under the same id, and not later than that one: nothing else says which of them it belongs to.
   */
  #nearer({ sourceAgent, project, createdAt }: Begun, above: string): string {
    const stored = this.#known?.get(above);
    const before = idApart(sourceAgent, "");
    const apart = above.startsWith(before) ? above.slice(before.length) : above;
    // That one may have been begun elsewhere itself, and be the nearest of an earlier run.
    const shared = (stored && idAtClient(above, stored)) ?? apart;
    const others = [...(this.#elsewhere?.of(sourceAgent, shared) ?? [])].filter(([id]) => {
      const began = this.#known?.get(id)?.createdAt;
      return began !== undefined && began <= createdAt;
    });
    const begun = stored ? [[above, stored.project] as const, ...others] : [];
    return begunAbove(begun, project) ?? above;
  }

  #learn(session: Session): void {
    const { id } = session;
    if (this.#known === undefined || this.#known.has(id)) return;
    const begun = begunOf(session);
    this.#unsettled.add(id);
    this.#known.set(id, begun);
    this.#elsewhere?.add(id, begun);
  }

  #isFull(writer: SessionWriter | undefined): boolean {
    return this.#batch.bytes + (writer?.heldBytes ?? 0) >= this.#maxBatchBytes;
  }

  async #makeRoom(writer: SessionWriter | undefined): Promise<void> {
    await writer?.flush(this.#batch);
    await this.#rotate();
  }

  /**
   * Starts writing the batch. While its messages are written, the parts of the next one are, and
   * the one after that is gathered: three batches are held at most.
   */
  async #rotate(): Promise<void> {
    await Promise.all([this.#below, this.#visible]);
    const batch = this.#batch;
    const { store } = this.#sessions;
    this.#batch = this.#nextBatch();
    this.#below = batch.writeBelow(store);
    this.#visible = this.#writing;
    this.#writing = Promise.all([this.#visible, this.#below]).then(() => batch.writeVisible(store));
    // A failure is thrown by whoever awaits it next; it must not end the process before.
    this.#below.catch(() => undefined);
    this.#writing.catch(() => undefined);
  }

  /** Every batch has a time of its own, by which it knows its rows again. */
  #nextBatch(): Batch {
    const now = BigInt(this.#now().getTime()) * 1000n + ownMicros;
    this.#lastMicros = now > this.#lastMicros ? now : this.#lastMicros + 1n;
    return new Batch(this.#lastMicros, this.#areClientsApart, this.#putOff);
  }

  async #knownSessions(): Promise<Map<string, Begun>> {
    // A session may go on from what another process stored just now: not seen, it would begin anew.
    await this.#sessions.store.refresh();
    const known = new Map<string, Begun>();
    for (const ids of this.#sessionIds ? idChunks(this.#sessionIds) : [undefined]) {
      for (const each of await this.#begun(ids)) known.set(...each);
    }
    return known;
  }

  /** What is stored of these sessions, or of all. */
  async #begun(ids: readonly string[] | undefined): Promise<Map<string, Begun>> {
    const begun = new Map<string, Begun>();
    const columns = ["id", "source_agent", "project", "created_at"];
    const table = this.#sessions.store.table("sessions");
    for await (const rows of table.scan({ columns, where: ids && oneOf("id", ids) })) {
      for (const row of rows) {
        const { id, source_agent: sourceAgent, project, created_at: at } = row;
        begun.set(String(id), {
          sourceAgent: String(sourceAgent),
          project: String(project),
          createdAt: BigInt(at as bigint),
        });
      }
    }
    return begun;
  }
}

function withPlainLabels(event: ReadEvent): ReadEvent {
  return event.kind === "session" ? { ...event, session: withPlainProject(event.session) } : event;
}

/** Takes sessions into the store. */
export function createIngest(sessions: SessionStore, options: IngestOptions): Ingest {
  return new Ingest(sessions, options);
}
