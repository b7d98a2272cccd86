import type { Message, Session } from "@pond/canonical";
import type { ColumnBatch, Row, Store } from "@pond/substrate";
import { Columns } from "../rows/columns.ts";
import { messageFromRow, partFromRow } from "../rows/from-rows.ts";
import { tornDigest } from "../rows/message-digest.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import {
  type Labels,
  messageRow,
  partRow as partRowOf,
  sessionRow,
  windowRow,
} from "../rows/to-rows.ts";
import { emptyLeftoverWindows, writeWindows } from "../search/window-rows.ts";
import type { Window } from "../search/windows.ts";
import { type ConcurrentWrites, withStaleWindows } from "./concurrent-writes.ts";
import { findTorn, reviseDiffering, reviseOpened } from "./conflicts.ts";
import {
  claimShared,
  findIdConflicts,
  type IdConflicts,
  noIdConflicts,
  remakeOwnWindows,
  removeForeignMessages,
  removeLeftovers,
  timesOf,
  withForeignWindows,
} from "./id-conflicts.ts";
import type { IncomingSession, InsertedMessage } from "./incoming-session.ts";
import { deferSession, settleStatus } from "./outcome.ts";

/**
 * The memory that a session takes besides its rows until its batch is stored. For small sessions it
 * is more than their rows.
 */
const sessionOverheadBytes = 8 * 1024;

/**
 * Rows of many sessions on their way into the store as a few large commits, each to one table
 * (`lance-forward-compat-no-cross-shard-atomic-write`).
 */
export class Batch {
  readonly ingestedAt: bigint;
  readonly #areClientsApart: boolean;
  readonly #deferredIds: Set<string>;
  bytes = 0;
  /** What was added for the first time, by session. */
  readonly inserted: Map<IncomingSession, InsertedMessage[]> = new Map();
  readonly #messages = new Columns(["content", "search_text", "options"]);
  readonly #parts = new Columns(["variant_data", "options"]);
  readonly #windows = new Columns(["text", "message_ids"]);
  readonly #sessions = new Columns();
  readonly #opened: Map<IncomingSession, Session> = new Map();
  #partsPresent = 0;
  readonly #finished: IncomingSession[] = [];
  readonly #ids: Set<string> = new Set();

  /**
   * @param deferredIds - Ids of sessions that are left for the next run; receives those of this
   * batch.
   */
  constructor(ingestedAt: bigint, areClientsApart: boolean, deferredIds: Set<string>) {
    this.ingestedAt = ingestedAt;
    this.#areClientsApart = areClientsApart;
    this.#deferredIds = deferredIds;
  }

  /** True if a session's rows are on their way in this batch. */
  holds(sessionId: string): boolean {
    return this.#ids.has(sessionId);
  }

  addMessage(incoming: IncomingSession, message: PreparedMessage, ordinal: bigint): void {
    const { labels, outcome } = incoming;
    const { id, timestamp } = message.header;
    const { digest, preparedParts } = message;
    this.#ids.add(labels.sessionId);
    const row = this.#messages.push(messageRow(labels, message, ordinal, this.ingestedAt));
    const partRow = this.#parts.length;
    const partCount = preparedParts.length;
    for (const [position, part] of preparedParts.entries()) {
      this.#parts.push(partRowOf(labels.sessionId, id, part, position, this.ingestedAt));
    }
    const inserted = { id, digest, ordinal, timestamp, row, partRow, partCount };
    const others = this.inserted.get(incoming);
    if (others) others.push(inserted);
    else this.inserted.set(incoming, [inserted]);
    this.bytes += message.bytes;
    outcome.added_at.messages = this.ingestedAt;
    if (partCount > 0) outcome.added_at.parts = this.ingestedAt;
    outcome.messages_added += 1;
    incoming.messageRows += 1;
    outcome.parts_added += partCount;
  }

  /** Adds parts that a stored message lacks, by their places in it. */
  addAbsentParts(
    { labels, outcome }: IncomingSession,
    message: PreparedMessage,
    at: readonly number[],
  ): void {
    this.#ids.add(labels.sessionId);
    for (const position of at) {
      const part = message.preparedParts[position];
      if (part === undefined) continue;
      const { sessionId } = labels;
      this.#parts.push(partRowOf(sessionId, message.header.id, part, position, this.ingestedAt));
    }
    this.bytes += message.bytes;
    outcome.added_at.parts = this.ingestedAt;
    outcome.parts_added += at.length;
  }

  /** A message row built by the caller. */
  addCarrier(incoming: IncomingSession, row: Row): void {
    const { labels, outcome } = incoming;
    this.#ids.add(labels.sessionId);
    incoming.messageRows += 1;
    outcome.added_at.messages = this.ingestedAt;
    this.#messages.push(row);
    this.bytes += String(row["options"]).length;
  }

  addWindows(incoming: IncomingSession, windows: readonly Window[]): void {
    for (const window of windows) {
      const row = windowRow(incoming.labels, window);
      this.#windows.push(row);
      this.bytes += String(row["text"] ?? "").length;
    }
  }

  addSession(incoming: IncomingSession, session: Session, host: string | undefined): void {
    this.#ids.add(session.id);
    this.#opened.set(incoming, session);
    incoming.outcome.added_at.sessions = this.ingestedAt;
    this.#sessions.push(sessionRow(session, host, this.ingestedAt));
  }

  /** No more of this session will come. */
  finish(incoming: IncomingSession): void {
    this.#finished.push(incoming);
    this.bytes += sessionOverheadBytes;
  }

  /**
   * Commits the rows that are not visible yet: parts, then windows, so that whatever an interrupted
   * run left of a session shows in its parts. Makes them durable: a power cut that keeps a message
   * has to keep its parts, or the next sync would take the message as stored.
   */
  async writePartsAndWindows(store: Store): Promise<void> {
    const { present } = await store.table("parts").insert(this.#parts.batch());
    this.#partsPresent = present;
    await writeWindows(store, this.#windows);
    if (this.#parts.length + this.#windows.length > 0) await store.flush();
  }

  /**
   * Commits messages and session rows, so that a visible row has everything below it. Then makes
   * them durable, then acknowledges. Call it only after {@link writePartsAndWindows}.
   */
  async writeMessagesAndSessions(store: Store, concurrentWrites: ConcurrentWrites): Promise<void> {
    if (this.#ids.size > 0) {
      await this.#writeRows(store, concurrentWrites);
      const { haveOthersWritten, isAlone } = await concurrentWrites.sinceStart();
      if (!isAlone) await this.#remakeForeignWindows(store);
      if (haveOthersWritten) await this.#remakeStaleWindows(store);
    }
    // What was there already may belong to somebody who has not made it durable yet, or failed to.
    if (this.#ids.size + this.#finished.length > 0) await store.flush();
    for (const { hooks, outcome, parentId } of this.#finished) {
      // Read again, it is attached to the name that its parent gets then.
      if (parentId !== undefined && this.#deferredIds.has(parentId)) outcome.deferred += 1;
      settleStatus(outcome);
      await hooks.onCommitted(outcome);
    }
    for (const rows of [this.#messages, this.#parts, this.#windows]) rows.free();
  }

  /** A message that was added, from its rows. */
  messageOf({ row, partRow, partCount }: InsertedMessage): Message {
    const parts = Array.from({ length: partCount }, (_, at) => this.partOf(partRow + at));
    return messageFromRow(
      this.#messages.row(row),
      parts.map((part) => partFromRow(part, part["data"] ?? null)),
    );
  }

  partOf(row: number): Row {
    return this.#parts.row(row);
  }

  async #writeRows(store: Store, concurrentWrites: ConcurrentWrites): Promise<void> {
    const { isAlone } = await concurrentWrites.sinceStart();
    const conflicts = isAlone ? noIdConflicts : await this.#deferTaken(store);
    const leftOut = new Set([...conflicts.taken.values()].map(({ sessionId }) => sessionId));
    const rest = (rows: Columns, id: string): ColumnBatch =>
      (leftOut.size === 0 ? rows : rows.without(id, leftOut)).batch();
    if (this.#partsPresent > 0) await this.#markTorn(store);
    const messages = await store.table("messages").insert(rest(this.#messages, "session_id"));
    let contested = conflicts.unfinished;
    const doubtful = new Set(contested.keys());
    if (this.#partsPresent + messages.present > 0) {
      for (const incoming of this.inserted.keys()) incoming.hasLeftovers = true;
      // What was there may belong to another session: then it is nothing to revise before the id is
      // ours.
      const { unfinished, taken } = await this.#findIdConflicts(store);
      contested = unfinished;
      for (const incoming of [...unfinished.keys(), ...taken.keys()]) doubtful.add(incoming);
      await this.#reviseDiffering(store, (own) => !doubtful.has(own));
      for (const incoming of unfinished.keys()) {
        const own = this.inserted.get(incoming) ?? [];
        const digests = new Map(own.map(({ id, digest }) => [id, digest]));
        await claimShared(store, incoming.labels, digests, this.ingestedAt);
      }
    }
    await this.#emptyLeftoverWindows(store, doubtful);
    // Windows come first, and may be where those of the other session belong.
    for (const labels of conflicts.taken.values()) await remakeOwnWindows(store, labels);
    await this.#removeLeftovers(store);
    if (this.#sessions.length > 0) await store.flush();
    const sessions = await store.table("sessions").insert(rest(this.#sessions, "id"));
    if (sessions.present > 0) await this.#reviseOpened(store);
    await this.#settleContested(store, contested);
  }

  /** Makes the windows of sessions again if others have left windows under their ids. */
  async #remakeForeignWindows(store: Store): Promise<void> {
    if (!this.#areClientsApart) return;
    for (const { labels } of await withForeignWindows(store, this.#opened.keys())) {
      await remakeOwnWindows(store, labels);
    }
  }

  /**
   * Marks messages whose parts belong to several states: what is shown is made of what is stored.
   */
  async #markTorn(store: Store): Promise<void> {
    for (const { row } of await findTorn(store, this)) {
      this.#messages.set(row, "digest", tornDigest);
      this.#messages.set(row, "head", null);
    }
  }

  /** Removes from search what an interrupted run left of sessions, except for those in doubt. */
  async #emptyLeftoverWindows(store: Store, doubtful: ReadonlySet<IncomingSession>): Promise<void> {
    for (const incoming of this.#finished) {
      const { labels, hooks, windowIds, hasLeftovers } = incoming;
      if (doubtful.has(incoming) || !hasLeftovers || !windowIds) continue;
      if (await hooks.isUnchanged()) await emptyLeftoverWindows(store, labels, windowIds);
    }
  }

  /** Removes what others left under their ids from the sessions that have got the ids now. */
  async #settleContested(store: Store, contested: IdConflicts["unfinished"]): Promise<void> {
    const won = new Map([...contested].filter(([incoming]) => this.#opened.has(incoming)));
    if (won.size > 0) await this.#reviseDiffering(store, (incoming) => won.has(incoming));
    for (const [{ labels, outcome, isContested }, owners] of won) {
      for (const owner of owners)
        await removeForeignMessages(store, labels, owner, this.ingestedAt);
      // What earlier batches found there of both is no longer at hand.
      if (isContested) outcome.deferred += 1;
    }
    for (const incoming of contested.keys()) incoming.isContested = true;
  }

  /**
   * Makes windows anew that another process made without the messages that came now, or that were
   * made here without the messages that it has stored.
   */
  async #remakeStaleWindows(store: Store): Promise<void> {
    const own = this.#finished.filter(({ labels: { sessionId }, isContested }) => {
      return this.#ids.has(sessionId) && !isContested && !this.#deferredIds.has(sessionId);
    });
    for (const { labels } of await withStaleWindows(store, own, this.#windows)) {
      await remakeOwnWindows(store, labels);
    }
  }

  /** Called before the sessions themselves are there: if it breaks off, the next run does it. */
  async #removeLeftovers(store: Store): Promise<void> {
    const named = [...new Set([...this.inserted.keys(), ...this.#opened.keys()])].map((own) => {
      return { ...own, times: () => timesOf(this.inserted.get(own)) };
    });
    await removeLeftovers(store, named, this.ingestedAt);
  }

  async #reviseDiffering(
    store: Store,
    isIncluded: (incoming: IncomingSession) => boolean,
  ): Promise<void> {
    const carriers = await reviseDiffering(store, this, isIncluded);
    await store.table("messages").insert(carriers.batch());
  }

  async #reviseOpened(store: Store): Promise<void> {
    const { ingestedAt, inserted } = this;
    const sessions = { opened: this.#opened, areApart: this.#areClientsApart };
    const { carriers, taken } = await reviseOpened(store, { ...sessions, ingestedAt, inserted });
    await store.table("messages").insert(carriers.batch());
    for (const [own, labels] of taken) await this.#defer(store, own, labels);
  }

  /** Leaves out sessions whose id another session has got since they were presumed new. */
  async #deferTaken(store: Store): Promise<IdConflicts> {
    const conflicts = await this.#findIdConflicts(store);
    for (const [own, labels] of conflicts.taken) await this.#defer(store, own, labels);
    return conflicts;
  }

  async #findIdConflicts(store: Store): Promise<IdConflicts> {
    if (!this.#areClientsApart) return noIdConflicts;
    const incoming = [...this.inserted.keys(), ...this.#opened.keys()];
    const presumedNew = new Set(incoming.filter(({ windowIds }) => windowIds !== undefined));
    return findIdConflicts(store, presumedNew, this.inserted);
  }

  async #defer(store: Store, own: IncomingSession, labels: Labels): Promise<void> {
    const times = timesOf(this.inserted.get(own));
    deferSession(own.outcome);
    this.#deferredIds.add(labels.sessionId);
    this.inserted.delete(own);
    this.#opened.delete(own);
    const named = { labels: own.labels, bases: [labels], times: () => times };
    await removeLeftovers(store, [named], this.ingestedAt);
  }
}
