import { randomInt } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import type { ReadEvent, Session, SessionEvent } from "@pond/canonical";
import { collectGarbage } from "@pond/canonical/adapter";
import { checkCount } from "../read/check-count.ts";
import { withPlainProject } from "../rows/whole-project.ts";
import type { SessionStore } from "../session-store.ts";
import { Ahead } from "./ahead.ts";
import { type NamesApart, renamed } from "./apart.ts";
import { Batch } from "./batch.ts";
import { begunOf } from "./begun-elsewhere.ts";
import type { Damaged } from "./damaged.ts";
import { type Gathered, nothingGathered } from "./gathered.ts";
import { Hanging } from "./hanging.ts";
import { Intake } from "./intake.ts";
import { loadKnown } from "./known.ts";
import { KnownSession } from "./known-session.ts";
import { NewSession } from "./new-session.ts";
import { Others } from "./others.ts";
import type { SessionHooks } from "./outcome.ts";
import { SessionNames } from "./session-names.ts";
import type { SessionWriter } from "./session-writer.ts";
import { withStoredOrigin } from "./stored-origin.ts";
import { type ExpectedSession, StoredSessions } from "./stored-sessions.ts";

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
   * Stored sessions that will come, about in their order, each once; others may come between them.
   * What is stored of several is read at a time. Left out, these are those of `sessionIds`.
   */
  readonly expected?: readonly ExpectedSession[] | undefined;
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

// Tells processes apart that begin a batch in the same millisecond; in containers all have one pid.
const ownMicros = BigInt(randomInt(1000));
const defaultMaxBatchBytes = 16 * 1024 * 1024;
/** How long a batch being written may wait for its next step. */
const turnEveryMs = 5;
/** So many times what a batch should hold is one value, mostly, and copied several times on its way. */
const largeBatch = 2;
// Of each session that was read some is kept, and V8 collects once as much garbage is there: of 100,000
// small ones 150 MB. Where little is kept, it does before that is so much.
const garbageAtMost = 64 * 1024 * 1024;

/**
 * Takes sessions one after the other and stores them in large commits. Once a commit has failed
 * every call throws: a later one could make a session visible that misses what was in it.
 */
export class Ingest {
  readonly #sessions: SessionStore;
  readonly #host: string | undefined;
  readonly #now: () => Date;
  readonly #maxBatchBytes: number;
  readonly #damaged: Damaged | undefined;
  readonly #stored: StoredSessions;
  readonly #names: SessionNames;
  readonly #hanging: Hanging;
  readonly #others: Others;
  #batch: Batch;
  /** The parts of the batch handed over last. */
  #below: Promise<void> = Promise.resolve();
  /** Every batch but that one. */
  #visible: Promise<void> = Promise.resolve();
  /** Every batch handed over so far. */
  #writing: Promise<void> = Promise.resolve();
  #lastMicros = 0n;
  #turnedAtMs = 0;
  /** What was in use of the heap at the beginning, and behind each collection. */
  #heapHeld = heapUsed();

  constructor(sessions: SessionStore, options: IngestOptions) {
    this.#sessions = sessions;
    this.#host = options.host;
    this.#now = options.now;
    this.#maxBatchBytes = options.maxBatchBytes ?? defaultMaxBatchBytes;
    this.#damaged = options.damaged;
    const { expected = options.sessionIds?.map((id) => ({ id })) ?? [] } = options;
    this.#stored = new StoredSessions(sessions.store, expected);
    this.#names = new SessionNames(sessions, {
      sessionIds: options.sessionIds,
      areClientsApart: options.areClientsApart ?? false,
      commit: () => this.#commit(),
    });
    this.#hanging = new Hanging(sessions.store, this.#names);
    this.#others = new Others(sessions.store);
    this.#batch = this.#nextBatch();
  }

  /**
   * Takes the events of one session. What is wrong with it is in its outcome.
   *
   * @throws Whatever the events throw, and `SubstrateError` where the store cannot be
   * written to.
   */
  async session(events: AsyncIterable<ReadEvent>, hooks: SessionHooks): Promise<void> {
    await this.#others.look();
    const gathered = nothingGathered(hooks);
    const { outcome } = gathered;
    const intake = new Intake(outcome);
    let isLogWhole = true;
    let writer: SessionWriter | undefined;
    let apart: NamesApart | undefined;
    let opened: { readonly session: Session; readonly given: Session } | undefined;
    const closeMessage = (): void => {
      const message = intake.close();
      if (message) writer?.add(message, this.#batch);
    };
    const ahead = new Ahead(events);
    for await (const read of ahead) {
      const given = withPlainLabels(read);
      if (given.kind === "session") apart = await this.#names.apart(given.session, ahead);
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
          // What this one left in them earlier is taken out.
          for (const { sessionId } of gathered.bases) this.#stored.leave(sessionId);
          if (given.kind === "session") opened = { session: event.session, given: given.session };
          break;
        case "message":
          closeMessage();
          intake.accept(event);
          if (this.#isFull(writer)) await this.#makeRoom(writer);
          await this.#letWriting();
          break;
        case "part":
          intake.accept(event);
      }
    }
    closeMessage();
    const isWhole = isLogWhole && outcome.status !== "failed";
    await writer?.finish(this.#batch, isWhole);
    if (opened) {
      this.#names.learn(opened.session);
      this.#hanging.add(opened.session, opened.given);
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
      await this.#commit();
      await this.#hanging.hangAnew();
    } finally {
      await Promise.allSettled([this.#below, this.#writing]);
    }
  }

  async #open(gathered: Gathered, { session, unresolved }: SessionEvent): Promise<SessionWriter> {
    await this.#names.load();
    // The same session from a second source: what came from the first must be there to compare.
    if (this.#batch.holds(session.id)) await this.#rotate();
    const { id: sessionId, source_agent: sourceAgent, project } = session;
    const known = this.#names.begun(sessionId);
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
    gathered.messageRows = stored.messages.length;
    const { store } = this.#sessions;
    const found = await loadKnown(store, stored, {
      place: gathered.place,
      host: this.#host,
      rowIds: this.#damaged?.get(sessionId),
      idsOfOthers: await this.#names.idsOfOthers(sessionId),
    });
    const { state } = found;
    const said = await withStoredOrigin(
      store,
      { session, unresolved },
      { session: stored.session, state },
    );
    return new KnownSession(store, said, gathered, found);
  }

  #isFull(writer: SessionWriter | undefined): boolean {
    return this.#batch.bytes + (writer?.heldBytes ?? 0) >= this.#maxBatchBytes;
  }

  /** What reads files gives way to nothing else: no step of what is written would begin meanwhile. */
  async #letWriting(): Promise<void> {
    if (performance.now() - this.#turnedAtMs < turnEveryMs) return;
    await turn();
    this.#turnedAtMs = performance.now();
  }

  async #makeRoom(writer: SessionWriter | undefined): Promise<void> {
    await writer?.flush(this.#batch);
    await this.#rotate();
  }

  /** Writes all that was gathered, and waits for it. */
  async #commit(): Promise<void> {
    await this.#rotate();
    await this.#writing;
  }

  /**
   * Starts writing the batch. While its messages are written, the parts of the next one are, and
   * the one after that is gathered: three batches are held at most. Beside a large one nothing is.
   */
  async #rotate(): Promise<void> {
    await Promise.all([this.#below, this.#visible]);
    const batch = this.#batch;
    const { store } = this.#sessions;
    this.#batch = this.#nextBatch();
    const isLarge = batch.bytes >= this.#maxBatchBytes * largeBatch;
    if (isLarge || heapUsed() > this.#heapHeld + garbageAtMost) {
      collectGarbage();
      this.#heapHeld = heapUsed();
    }
    this.#below = batch.writeBelow(store);
    this.#visible = this.#writing;
    this.#writing = Promise.all([this.#visible, this.#below]).then(() =>
      batch.writeVisible(store, this.#others),
    );
    // A failure is thrown by whoever awaits it next; it must not end the process before.
    this.#below.catch(() => undefined);
    this.#writing.catch(() => undefined);
    if (isLarge) await this.#writing;
  }

  /** Every batch has a time of its own, by which it knows its rows again. */
  #nextBatch(): Batch {
    const now = BigInt(this.#now().getTime()) * 1000n + ownMicros;
    this.#lastMicros = now > this.#lastMicros ? now : this.#lastMicros + 1n;
    const { areClientsApart, putOff } = this.#names;
    return new Batch(this.#lastMicros, areClientsApart, putOff);
  }
}

function heapUsed(): number {
  return getHeapStatistics().used_heap_size;
}

function withPlainLabels(event: ReadEvent): ReadEvent {
  return event.kind === "session" ? { ...event, session: withPlainProject(event.session) } : event;
}

/**
 * Takes sessions into the store.
 *
 * @throws {RangeError} for a `maxBatchBytes` that is no number: all would be held until the end.
 */
export function createIngest(sessions: SessionStore, options: IngestOptions): Ingest {
  checkCount("maxBatchBytes", options.maxBatchBytes ?? defaultMaxBatchBytes);
  return new Ingest(sessions, options);
}
