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
import { emptyOtherWindows, writeWindows } from "../search/window-rows.ts";
import type { Window } from "../search/windows.ts";
import { findTorn, reviseDiffering, reviseOpened } from "./conflicts.ts";
import type { Gathered, Inserted } from "./gathered.ts";
import { type Others, overtaken } from "./others.ts";
import { putOff, settleStatus } from "./outcome.ts";
import {
  claimShared,
  findRivals,
  leaveOutLeft,
  leaveOutOther,
  noRivals,
  type Rivals,
  remakeOwnWindows,
  timesOf,
  withOtherWindows,
} from "./rivals.ts";

/**
 * The memory that a session takes besides its rows until its batch is stored. For small sessions it
 * is more than their rows.
 */
const bytesBesideRows = 8 * 1024;

/**
 * Rows of many sessions on their way into the store as a few large commits, each to one table
 * (`lance-forward-compat-no-cross-shard-atomic-write`).
 */
export class Batch {
  readonly ingestedAt: bigint;
  readonly #areClientsApart: boolean;
  readonly #putOff: Set<string>;
  bytes = 0;
  /** What was added for the first time, by session. */
  readonly inserted: Map<Gathered, Inserted[]> = new Map();
  readonly #messages = new Columns(["content", "search_text", "options"]);
  readonly #parts = new Columns(["variant_data", "options"]);
  readonly #windows = new Columns(["text", "message_ids"]);
  readonly #sessions = new Columns();
  readonly #opened: Map<Gathered, Session> = new Map();
  #partsPresent = 0;
  readonly #finished: Gathered[] = [];
  readonly #ids: Set<string> = new Set();

  /**
   * @param putOff - Ids of sessions that are left for the next run; receives those of this batch.
   */
  constructor(ingestedAt: bigint, areClientsApart: boolean, putOff: Set<string>) {
    this.ingestedAt = ingestedAt;
    this.#areClientsApart = areClientsApart;
    this.#putOff = putOff;
  }

  /** True if a session's rows are on their way in this batch. */
  holds(sessionId: string): boolean {
    return this.#ids.has(sessionId);
  }

  addMessage(gathered: Gathered, message: PreparedMessage, ordinal: bigint): void {
    const { labels, outcome } = gathered;
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
    const others = this.inserted.get(gathered);
    if (others) others.push(inserted);
    else this.inserted.set(gathered, [inserted]);
    this.bytes += message.bytes;
    outcome.added_at.messages = this.ingestedAt;
    if (partCount > 0) outcome.added_at.parts = this.ingestedAt;
    outcome.messages_added += 1;
    gathered.messageRows += 1;
    outcome.parts_added += partCount;
  }

  /** Adds parts that a stored message lacks, by their places in it. */
  addAbsentParts(
    { labels, outcome }: Gathered,
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
  addCarrier(gathered: Gathered, row: Row): void {
    const { labels, outcome } = gathered;
    this.#ids.add(labels.sessionId);
    gathered.messageRows += 1;
    outcome.added_at.messages = this.ingestedAt;
    this.#messages.push(row);
    this.bytes += String(row["options"]).length;
  }

  addWindows(gathered: Gathered, windows: readonly Window[]): void {
    for (const window of windows) {
      const row = windowRow(gathered.labels, window);
      this.#windows.push(row);
      this.bytes += String(row["text"] ?? "").length;
    }
  }

  addSession(gathered: Gathered, session: Session, host: string | undefined): void {
    this.#ids.add(session.id);
    this.#opened.set(gathered, session);
    gathered.outcome.added_at.sessions = this.ingestedAt;
    this.#sessions.push(sessionRow(session, host, this.ingestedAt));
  }

  /** No more of this session will come. */
  finish(gathered: Gathered): void {
    this.#finished.push(gathered);
    this.bytes += bytesBesideRows;
  }

  /**
   * Commits the rows that are not visible yet: parts, then windows, so that whatever an interrupted
   * run left of a session shows in its parts. Makes them durable: a power cut that keeps a message
   * has to keep its parts, or the next sync would take the message as stored.
   */
  async writeBelow(store: Store): Promise<void> {
    const { present } = await store.table("parts").insert(this.#parts.batch());
    this.#partsPresent = present;
    await writeWindows(store, this.#windows);
    if (this.#parts.length + this.#windows.length > 0) await store.flush();
  }

  /**
   * Commits messages and session rows, so that a visible row has everything below it. Then makes
   * them durable, then acknowledges. Call it only after {@link writeBelow}.
   */
  async writeVisible(store: Store, others: Others): Promise<void> {
    if (this.#ids.size > 0) {
      await this.#writeRows(store);
      if (await others.haveWritten()) await this.#remakeOvertaken(store);
    }
    // What was there already may belong to somebody who has not made it durable yet, or failed to.
    if (this.#ids.size + this.#finished.length > 0) await store.flush();
    for (const { hooks, outcome, parentId } of this.#finished) {
      // Read again, it is attached to the name that its parent gets then.
      if (parentId !== undefined && this.#putOff.has(parentId)) outcome.deferred += 1;
      settleStatus(outcome);
      await hooks.onCommitted(outcome);
    }
    for (const rows of [this.#messages, this.#parts, this.#windows]) rows.free();
  }

  /** A message that was added, from its rows. */
  messageOf({ row, partRow, partCount }: Inserted): Message {
    const parts = Array.from({ length: partCount }, (_, at) => this.partOf(partRow + at));
    return messageFromRow(
      this.#messages.row(row),
      parts.map((part) => partFromRow(part, part["data"] ?? null)),
    );
  }

  partOf(row: number): Row {
    return this.#parts.row(row);
  }

  async #writeRows(store: Store): Promise<void> {
    const rivals = await this.#leaveOutTaken(store);
    const leftOut = new Set([...rivals.taken.values()].map(({ sessionId }) => sessionId));
    const rest = (rows: Columns, id: string): ColumnBatch =>
      (leftOut.size === 0 ? rows : rows.without(id, leftOut)).batch();
    if (this.#partsPresent > 0) await this.#markTorn(store);
    const messages = await store.table("messages").insert(rest(this.#messages, "session_id"));
    let contested = rivals.unfinished;
    const doubtful = new Set(contested.keys());
    if (this.#partsPresent + messages.present > 0) {
      for (const gathered of this.inserted.keys()) gathered.hasLeftovers = true;
      // What was there may belong to another session: then it is nothing to revise before the id is
      // ours.
      const { unfinished, taken } = await this.#rivals(store);
      contested = unfinished;
      for (const gathered of [...unfinished.keys(), ...taken.keys()]) doubtful.add(gathered);
      await this.#reviseDiffering(store, (own) => !doubtful.has(own));
      for (const gathered of unfinished.keys()) {
        const own = this.inserted.get(gathered) ?? [];
        const digests = new Map(own.map(({ id, digest }) => [id, digest]));
        await claimShared(store, gathered.labels, digests, this.ingestedAt);
      }
    }
    await this.#emptyLeftWindows(store, doubtful);
    // Windows come first, and may be where those of the other session belong.
    for (const labels of rivals.taken.values()) await remakeOwnWindows(store, labels);
    await this.#leaveOutLeft(store);
    if (this.#sessions.length > 0) await store.flush();
    const sessions = await store.table("sessions").insert(rest(this.#sessions, "id"));
    if (sessions.present > 0) await this.#reviseOpened(store);
    await this.#settleContested(store, contested);
    if (!this.#areClientsApart) return;
    for (const { labels } of await withOtherWindows(store, this.#opened.keys())) {
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
  async #emptyLeftWindows(store: Store, doubtful: ReadonlySet<Gathered>): Promise<void> {
    for (const gathered of this.#finished) {
      const { labels, hooks, windowIds, hasLeftovers } = gathered;
      if (doubtful.has(gathered) || !hasLeftovers || !windowIds) continue;
      if (await hooks.isUnchanged()) await emptyOtherWindows(store, labels, windowIds);
    }
  }

  /** Removes what others left under their ids from the sessions that have got the ids now. */
  async #settleContested(store: Store, contested: Rivals["unfinished"]): Promise<void> {
    const won = new Map([...contested].filter(([gathered]) => this.#opened.has(gathered)));
    if (won.size > 0) await this.#reviseDiffering(store, (gathered) => won.has(gathered));
    for (const [{ labels, outcome, isContested }, owners] of won) {
      for (const owner of owners) await leaveOutOther(store, labels, owner, this.ingestedAt);
      // What earlier batches found there of both is no longer at hand.
      if (isContested) outcome.deferred += 1;
    }
    for (const gathered of contested.keys()) gathered.isContested = true;
  }

  /**
   * Makes windows anew that another process made without the messages that came now, or that were
   * made here without the messages that it has stored.
   */
  async #remakeOvertaken(store: Store): Promise<void> {
    const own = this.#finished.filter(({ labels: { sessionId }, isContested }) => {
      return this.#ids.has(sessionId) && !isContested && !this.#putOff.has(sessionId);
    });
    for (const { labels } of await overtaken(store, own, this.#windows)) {
      await remakeOwnWindows(store, labels);
    }
  }

  /** Called before the sessions themselves are there: if it breaks off, the next run does it. */
  async #leaveOutLeft(store: Store): Promise<void> {
    const named = [...new Set([...this.inserted.keys(), ...this.#opened.keys()])].map((own) => {
      return { ...own, times: () => timesOf(this.inserted.get(own)) };
    });
    await leaveOutLeft(store, named, this.ingestedAt);
  }

  async #reviseDiffering(store: Store, isMeant: (gathered: Gathered) => boolean): Promise<void> {
    const carriers = await reviseDiffering(store, this, isMeant);
    await store.table("messages").insert(carriers.batch());
  }

  async #reviseOpened(store: Store): Promise<void> {
    const { ingestedAt, inserted } = this;
    const sessions = { opened: this.#opened, areApart: this.#areClientsApart };
    const { carriers, taken } = await reviseOpened(store, { ...sessions, ingestedAt, inserted });
    await store.table("messages").insert(carriers.batch());
    for (const [own, labels] of taken) await this.#leaveOut(store, own, labels);
  }

  /** Leaves out sessions whose id another session has got since they were thought new. */
  async #leaveOutTaken(store: Store): Promise<Rivals> {
    const rivals = await this.#rivals(store);
    for (const [own, labels] of rivals.taken) await this.#leaveOut(store, own, labels);
    return rivals;
  }

  async #rivals(store: Store): Promise<Rivals> {
    if (!this.#areClientsApart) return noRivals;
    const gathered = [...this.inserted.keys(), ...this.#opened.keys()];
    const thoughtNew = new Set(gathered.filter(({ windowIds }) => windowIds !== undefined));
    return findRivals(store, thoughtNew, this.inserted);
  }

  async #leaveOut(store: Store, own: Gathered, labels: Labels): Promise<void> {
    const times = timesOf(this.inserted.get(own));
    putOff(own.outcome);
    this.#putOff.add(labels.sessionId);
    this.inserted.delete(own);
    this.#opened.delete(own);
    const named = { labels: own.labels, bases: [labels], times: () => times };
    await leaveOutLeft(store, [named], this.ingestedAt);
  }
}
