import { randomInt } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { getHeapStatistics } from "node:v8";
import type { ReadEvent, Session, SessionEvent } from "@pond/canonical";
import { collectGarbage } from "@pond/canonical/adapter";
import { checkCount } from "../read/check-count.ts";
import { withStorableProject } from "../rows/original-project.ts";
import type { SessionStore } from "../session-store.ts";
import { Batch } from "./batch.ts";
import { BatchCommit } from "./batch-commit.ts";
import { ConcurrentWrites } from "./concurrent-writes.ts";
import type { Damaged } from "./damaged.ts";
import { emptyIncomingSession, type IncomingSession } from "./incoming-session.ts";
import { MessageAssembler } from "./message-assembler.ts";
import { NewSessionWriter } from "./new-session-writer.ts";
import type { SessionHooks } from "./outcome.ts";
import { ParentLinks } from "./parent-links.ts";
import { PeekableEvents } from "./peekable-events.ts";
import { type QualifiedNames, renamed } from "./qualified-ids.ts";
import { startOf } from "./reused-ids.ts";
import { SessionNames } from "./session-names.ts";
import { loadSnapshot } from "./session-snapshot.ts";
import type { SessionWriter } from "./session-writer.ts";
import { withStoredOrigin } from "./stored-origin.ts";
import { StoredSessionWriter } from "./stored-session-writer.ts";
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
  readonly shouldQualifyIds?: boolean;
  /** Stored messages that are not what was written, to be mended when they come again. */
  readonly damaged?: Damaged | undefined;
};

// Distinguishes processes that begin a batch in the same millisecond; in containers all have one
// pid.
const processOffsetMicros = BigInt(randomInt(1000));
const defaultMaxBatchBytes = 16 * 1024 * 1024;
/** How long a batch that is being written may wait for its next step. */
const yieldEveryMs = 5;
/**
 * A batch of so many times its intended size is mostly one value, which is copied several times on
 * its way.
 */
const largeBatchFactor = 2;
// Something is kept of each session that was read, and V8 collects once there is as much garbage as
// that: 150 MB for 100,000 small ones. If little is kept, it collects before there is so much.
const maxGarbageBytes = 64 * 1024 * 1024;

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
  readonly #parentLinks: ParentLinks;
  readonly #concurrentWrites: ConcurrentWrites;
  #batch: Batch;
  /** Settles with the parts of the batch handed over last. */
  #partsWriting: Promise<void> = Promise.resolve();
  /** Settles with every batch except that one. */
  #earlierWriting: Promise<void> = Promise.resolve();
  /** Settles with every batch handed over so far. */
  #writing: Promise<void> = Promise.resolve();
  #lastMicros = 0n;
  #yieldedAtMs = 0;
  /** Heap in use at the beginning, and after each collection. */
  #heapBaseBytes = usedHeapBytes();

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
      shouldQualifyIds: options.shouldQualifyIds ?? false,
      commit: () => this.#commit(),
    });
    this.#parentLinks = new ParentLinks(sessions.store, this.#names);
    this.#concurrentWrites = new ConcurrentWrites(sessions.store);
    this.#batch = this.#nextBatch();
  }

  /**
   * Takes the events of one session. What is wrong with it is in its outcome.
   *
   * @throws Whatever the events throw, and `SubstrateError` if the store cannot be written.
   */
  async session(events: AsyncIterable<ReadEvent>, hooks: SessionHooks): Promise<void> {
    await this.#concurrentWrites.start();
    const incoming = emptyIncomingSession(hooks);
    const { outcome } = incoming;
    const assembler = new MessageAssembler(outcome);
    let isLogWhole = true;
    let writer: SessionWriter | undefined;
    let qualified: QualifiedNames | undefined;
    let opened: { readonly session: Session; readonly given: Session } | undefined;
    const addMessage = (): void => {
      const message = assembler.takeMessage();
      if (message) writer?.add(message, this.#batch);
    };
    const peekable = new PeekableEvents(events);
    for await (const read of peekable) {
      const given = withStorableLabels(read);
      if (given.kind === "session") qualified = await this.#names.qualify(given.session, peekable);
      const event = qualified ? renamed(given, qualified) : given;
      switch (event.kind) {
        case "fault":
          outcome.faults += 1;
          isLogWhole &&= event.isLogWhole === true;
          break;
        case "pending":
          outcome.pending += 1;
          // It may be what is missing: a record that was torn, or is being written again.
          isLogWhole = false;
          break;
        case "session":
          addMessage();
          if (!assembler.accept(event)) break;
          writer = await this.#open(incoming, event);
          if (qualified && writer instanceof NewSessionWriter) incoming.bases = qualified.bases;
          // What this session left in them earlier is removed.
          for (const { sessionId } of incoming.bases) this.#stored.skipPrefetch(sessionId);
          if (given.kind === "session") opened = { session: event.session, given: given.session };
          break;
        case "message":
          addMessage();
          assembler.accept(event);
          if (this.#isFull(writer)) await this.#makeRoom(writer);
          await this.#yieldToWriting();
          break;
        case "part":
          assembler.accept(event);
      }
    }
    addMessage();
    const isWhole = isLogWhole && outcome.status !== "failed";
    await writer?.finish(this.#batch, isWhole);
    if (opened) {
      this.#names.add(opened.session);
      this.#parentLinks.add(opened.session, opened.given);
    }
    this.#batch.finish(incoming);
    if (this.#batch.bytes >= this.#maxBatchBytes) await this.#rotate();
  }

  /**
   * Commits what is left. Call it also after a failure: what was read before is kept if possible,
   * and nothing is being written any more when it settles.
   */
  async finish(): Promise<void> {
    try {
      await this.#commit();
      await this.#parentLinks.reattach();
    } finally {
      await Promise.allSettled([this.#partsWriting, this.#writing]);
    }
  }

  async #open(
    incoming: IncomingSession,
    { session, unresolved }: SessionEvent,
  ): Promise<SessionWriter> {
    await this.#names.load();
    // The same session from a second source: what came from the first has to be there for
    // comparison.
    if (this.#batch.holds(session.id)) await this.#rotate();
    const { id: sessionId, source_agent: sourceAgent, project } = session;
    const known = this.#names.startOf(sessionId);
    // Labels are denormalised onto messages, so the first ones stay (spec 7.6).
    incoming.labels = {
      sessionId,
      sourceAgent: known?.sourceAgent ?? sourceAgent,
      project: known?.project ?? project,
    };
    incoming.unresolved = unresolved;
    incoming.start = startOf(session);
    incoming.parentId = session.parent_session_id;
    incoming.outcome.session_id = sessionId;
    incoming.place = incoming.hooks.placeOf?.(sessionId);
    if (known === undefined) return new NewSessionWriter(session, this.#host, incoming);
    incoming.outcome.rejected = known.project !== project || known.sourceAgent !== sourceAgent;
    if (!this.#stored.isPrefetched(sessionId)) await this.#writing;
    const stored = await this.#stored.take(sessionId);
    incoming.messageRows = stored.messages.length;
    const { store } = this.#sessions;
    const found = await loadSnapshot(store, stored, {
      place: incoming.place,
      host: this.#host,
      rowIds: this.#damaged?.get(sessionId),
      foreignMessageIds: await this.#names.foreignMessageIds(sessionId),
    });
    const { state } = found;
    const current = await withStoredOrigin(
      store,
      { session, unresolved },
      { session: stored.session, state },
    );
    return new StoredSessionWriter(store, current, incoming, found);
  }

  #isFull(writer: SessionWriter | undefined): boolean {
    return this.#batch.bytes + (writer?.heldBytes ?? 0) >= this.#maxBatchBytes;
  }

  /**
   * Reading files yields to nothing else, so no step of the writing would begin in the meantime.
   */
  async #yieldToWriting(): Promise<void> {
    if (performance.now() - this.#yieldedAtMs < yieldEveryMs) return;
    await turn();
    this.#yieldedAtMs = performance.now();
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
    await Promise.all([this.#partsWriting, this.#earlierWriting]);
    const batch = this.#batch;
    const { store } = this.#sessions;
    this.#batch = this.#nextBatch();
    const isLarge = batch.bytes >= this.#maxBatchBytes * largeBatchFactor;
    if (isLarge || usedHeapBytes() > this.#heapBaseBytes + maxGarbageBytes) {
      collectGarbage();
      this.#heapBaseBytes = usedHeapBytes();
    }
    const { shouldQualifyIds, deferredIds } = this.#names;
    const concurrentWrites = this.#concurrentWrites;
    const commit = new BatchCommit(batch, {
      store,
      shouldQualifyIds,
      deferredIds,
      concurrentWrites,
    });
    this.#partsWriting = commit.writePartsAndWindows();
    this.#earlierWriting = this.#writing;
    this.#writing = Promise.all([this.#earlierWriting, this.#partsWriting]).then(() =>
      commit.writeMessagesAndSessions(),
    );
    // The next await throws a failure; it must not end the process before that.
    this.#partsWriting.catch(() => undefined);
    this.#writing.catch(() => undefined);
    if (isLarge) await this.#writing;
  }

  /** Every batch has a time of its own, by which it recognizes its rows. */
  #nextBatch(): Batch {
    const now = BigInt(this.#now().getTime()) * 1000n + processOffsetMicros;
    this.#lastMicros = now > this.#lastMicros ? now : this.#lastMicros + 1n;
    return new Batch(this.#lastMicros);
  }
}

function usedHeapBytes(): number {
  return getHeapStatistics().used_heap_size;
}

function withStorableLabels(event: ReadEvent): ReadEvent {
  return event.kind === "session"
    ? { ...event, session: withStorableProject(event.session) }
    : event;
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
