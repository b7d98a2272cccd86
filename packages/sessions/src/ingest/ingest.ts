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

/** How incoming sessions are stamped and batched. */
export type IngestOptions = {
  /** Name of this machine, stored with each session that names none of its own. */
  readonly host?: string | undefined;
  /** The time that is stored with everything. */
  readonly now: () => Date;
  /** How much is gathered before it is committed. At most three batches are held. */
  readonly maxBatchBytes?: number;
  /** Ids of all sessions that will come, if they are few: nothing is read of any other. */
  readonly sessionIds?: readonly string[] | undefined;
  /**
   * Stored sessions that will come, about in order, each once; others may come between them. What
   * is stored of several is read at a time. Default: those of `sessionIds`.
   */
  readonly expected?: readonly ExpectedSession[] | undefined;
  /**
   * True to keep sessions of different clients apart. A session whose id is stored for another
   * client gets an id of its own, `CLIENT:ID`, as when one client's sessions were copied to
   * another, which reads and continues them. So does a session that its client began in another
   * project at another time and that shares no message with the stored one:
   * `CLIENT:MICROSECONDS:ID`, by the time it began. Left out, it is taken for the stored session,
   * whose labels stay (spec 7.6).
   */
  readonly areClientsApart?: boolean;
  /** Stored messages that are not what was written, to be mended when they come again. */
  readonly damaged?: Damaged | undefined;
};

// Distinguishes processes that begin a batch in the same millisecond; in containers all have one
// pid.
const ownMicros = BigInt(randomInt(1000));
const defaultMaxBatchBytes = 16 * 1024 * 1024;
/** How long a batch that is being written may wait for its next step. */
const turnEveryMs = 5;
/**
 * A batch of so many times its intended size is mostly one value, which is copied several times on
 * its way.
 */
const largeBatch = 2;
// Something is kept of each session that was read, and V8 collects once there is as much garbage as
// that: 150 MB for 100,000 small ones. If little is kept, it collects before there is so much.
const garbageAtMost = 64 * 1024 * 1024;

/**
 * Takes sessions one after the other and stores them in large commits. Once a commit has failed,
 * every call throws, because a later commit could make a session visible that lacks what was in the
 * failed one.
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
  /** Settles with the parts of the batch handed over last. */
  #below: Promise<void> = Promise.resolve();
  /** Settles with every batch except that one. */
  #visible: Promise<void> = Promise.resolve();
  /** Settles with every batch handed over so far. */
  #writing: Promise<void> = Promise.resolve();
  #lastMicros = 0n;
  #turnedAtMs = 0;
  /** Heap in use at the beginning, and after each collection. */
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
   * @throws Whatever the events throw, and `SubstrateError` if the store cannot be written.
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
          // What this session left in them earlier is removed.
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
   * Commits what is left. Call it also after a failure: what was read before is kept if possible,
   * and nothing is being written any more when it settles.
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
    // The same session from a second source: what came from the first has to be there for
    // comparison.
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

  /**
   * Reading files yields to nothing else, so no step of the writing would begin in the meantime.
   */
  async #letWriting(): Promise<void> {
    if (performance.now() - this.#turnedAtMs < turnEveryMs) return;
    await turn();
    this.#turnedAtMs = performance.now();
  }

  async #makeRoom(writer: SessionWriter | undefined): Promise<void> {
    await writer?.flush(this.#batch);
    await this.#rotate();
  }

  /** Writes everything gathered, and waits for it. */
  async #commit(): Promise<void> {
    await this.#rotate();
    await this.#writing;
  }

  /**
   * Starts writing the batch. While its messages are written, the parts of the next one are, and
   * the one after that is gathered: at most three batches are held. Beside a large one, nothing is.
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
    // The next await throws a failure; it must not end the process before that.
    this.#below.catch(() => undefined);
    this.#writing.catch(() => undefined);
    if (isLarge) await this.#writing;
  }

  /** Every batch has a time of its own, by which it recognizes its rows. */
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
 * Makes an ingest into the store.
 *
 * @throws {RangeError} for a `maxBatchBytes` that is not a number: everything would be held until
 * the end.
 */
export function createIngest(sessions: SessionStore, options: IngestOptions): Ingest {
  checkCount("maxBatchBytes", options.maxBatchBytes ?? defaultMaxBatchBytes);
  return new Ingest(sessions, options);
}
