import type { ColumnBatch, Store } from "@pond/substrate";
import type { Columns } from "../rows/columns.ts";
import { tornDigest } from "../rows/message-digest.ts";
import type { Labels } from "../rows/to-rows.ts";
import { emptyLeftoverWindows, writeWindows } from "../search/window-rows.ts";
import type { Batch } from "./batch.ts";
import { type ConcurrentWrites, withStaleWindows } from "./concurrent-writes.ts";
import { findTorn, reviseDiffering, reviseOpened } from "./conflicts.ts";
import {
  claimSharedMessages,
  findIdConflicts,
  type IdConflicts,
  noIdConflicts,
  remakeOwnWindows,
  removeForeignMessages,
  removeLeftovers,
  timesOf,
  withForeignWindows,
} from "./id-conflicts.ts";
import type { IncomingSession } from "./incoming-session.ts";
import { deferSession, settleStatus } from "./outcome.ts";

/** Where a batch is stored, and what its sessions may meet there. */
export type CommitContext = {
  readonly store: Store;
  readonly shouldQualifyIds: boolean;
  /** Ids of sessions that are left for the next run; receives those of the batch. */
  readonly deferredIds: Set<string>;
  readonly concurrentWrites: ConcurrentWrites;
};

/**
 * Stores the rows of a batch as a few large commits, each to one table
 * (`lance-forward-compat-no-cross-shard-atomic-write`), and settles what it meets there: leftovers
 * of an interrupted run, rows of other processes, and other sessions under the same ids.
 */
export class BatchCommit {
  readonly #batch: Batch;
  readonly #store: Store;
  readonly #shouldQualifyIds: boolean;
  readonly #deferredIds: Set<string>;
  readonly #concurrentWrites: ConcurrentWrites;
  #partsPresent = 0;

  constructor(batch: Batch, context: CommitContext) {
    this.#batch = batch;
    this.#store = context.store;
    this.#shouldQualifyIds = context.shouldQualifyIds;
    this.#deferredIds = context.deferredIds;
    this.#concurrentWrites = context.concurrentWrites;
  }

  /**
   * Commits the rows that are not visible yet: parts, then windows, so that whatever an interrupted
   * run left of a session shows in its parts. Makes them durable: a power cut that keeps a message
   * has to keep its parts, or the next sync would take the message as stored.
   */
  async writePartsAndWindows(): Promise<void> {
    const { parts, windows } = this.#batch;
    const { present } = await this.#store.table("parts").insert(parts.batch());
    this.#partsPresent = present;
    await writeWindows(this.#store, windows);
    if (parts.length + windows.length > 0) await this.#store.flush();
  }

  /**
   * Commits messages and session rows, so that a visible row has everything below it. Then makes
   * them durable, then acknowledges. Call it only after {@link writePartsAndWindows}.
   */
  async writeMessagesAndSessions(): Promise<void> {
    const { ids, finished } = this.#batch;
    if (ids.size > 0) {
      await this.#writeRows();
      if (!(await this.#concurrentWrites.isAlone())) {
        await this.#remakeForeignWindows();
        if (await this.#concurrentWrites.haveOthersWritten()) await this.#remakeStaleWindows();
      }
    }
    // What was there already may belong to somebody who has not made it durable yet, or failed to.
    if (ids.size + finished.length > 0) await this.#store.flush();
    for (const { hooks, outcome, parentId } of finished) {
      // Read again, it is attached to the name that its parent gets then.
      if (parentId !== undefined && this.#deferredIds.has(parentId)) outcome.deferred += 1;
      settleStatus(outcome);
      await hooks.onCommitted(outcome);
    }
    this.#batch.free();
  }

  async #writeRows(): Promise<void> {
    const isAlone = await this.#concurrentWrites.isAlone();
    const conflicts = isAlone ? noIdConflicts : await this.#deferTaken();
    const leftOut = new Set([...conflicts.taken.values()].map(({ sessionId }) => sessionId));
    const rest = (rows: Columns, id: string): ColumnBatch =>
      (leftOut.size === 0 ? rows : rows.without(id, leftOut)).batch();
    if (this.#partsPresent > 0) await this.#markTorn();
    const messages = await this.#store
      .table("messages")
      .insert(rest(this.#batch.messages, "session_id"));
    let contested = conflicts.unfinished;
    const doubtful = new Set(contested.keys());
    if (this.#partsPresent + messages.present > 0) {
      for (const incoming of this.#batch.inserted.keys()) incoming.hasLeftovers = true;
      // What was there may belong to another session: then it is nothing to revise before the id is
      // ours.
      const { unfinished, taken } = await this.#findIdConflicts();
      contested = unfinished;
      for (const incoming of [...unfinished.keys(), ...taken.keys()]) doubtful.add(incoming);
      await this.#reviseDiffering((own) => !doubtful.has(own));
      for (const incoming of unfinished.keys()) {
        const own = this.#batch.inserted.get(incoming) ?? [];
        const digests = new Map(own.map(({ id, digest }) => [id, digest]));
        await claimSharedMessages(this.#store, incoming.labels, digests, this.#batch.ingestedAt);
      }
    }
    await this.#emptyLeftoverWindows(doubtful);
    // Windows come first, and may be where those of the other session belong.
    for (const labels of conflicts.taken.values()) await remakeOwnWindows(this.#store, labels);
    await this.#removeLeftovers();
    if (this.#batch.sessions.length > 0) await this.#store.flush();
    const sessions = await this.#store.table("sessions").insert(rest(this.#batch.sessions, "id"));
    if (sessions.present > 0) await this.#reviseOpened();
    await this.#settleContested(contested);
  }

  /** Makes the windows of sessions again if others have left windows under their ids. */
  async #remakeForeignWindows(): Promise<void> {
    if (!this.#shouldQualifyIds) return;
    for (const { labels } of await withForeignWindows(this.#store, this.#batch.opened.keys())) {
      await remakeOwnWindows(this.#store, labels);
    }
  }

  /**
   * Marks messages whose parts belong to several states: what is shown is made of what is stored.
   */
  async #markTorn(): Promise<void> {
    const { messages } = this.#batch;
    for (const { row } of await findTorn(this.#store, this.#batch)) {
      messages.set(row, "digest", tornDigest);
      messages.set(row, "head", null);
    }
  }

  /** Removes from search what an interrupted run left of sessions, except for those in doubt. */
  async #emptyLeftoverWindows(doubtful: ReadonlySet<IncomingSession>): Promise<void> {
    for (const incoming of this.#batch.finished) {
      const { labels, hooks, windowIds, hasLeftovers } = incoming;
      if (doubtful.has(incoming) || !hasLeftovers || !windowIds) continue;
      if (await hooks.isUnchanged()) await emptyLeftoverWindows(this.#store, labels, windowIds);
    }
  }

  /** Removes what others left under their ids from the sessions that have got the ids now. */
  async #settleContested(contested: IdConflicts["unfinished"]): Promise<void> {
    const won = new Map([...contested].filter(([incoming]) => this.#batch.opened.has(incoming)));
    if (won.size > 0) await this.#reviseDiffering((incoming) => won.has(incoming));
    for (const [{ labels, outcome, isContested }, owners] of won) {
      for (const owner of owners) {
        await removeForeignMessages(this.#store, labels, owner, this.#batch.ingestedAt);
      }
      // What earlier batches found there of both is no longer at hand.
      if (isContested) outcome.deferred += 1;
    }
    for (const incoming of contested.keys()) incoming.isContested = true;
  }

  /**
   * Makes windows again that another process made without the messages stored now, or that were
   * made here without the messages that the other process has stored.
   */
  async #remakeStaleWindows(): Promise<void> {
    const { finished, ids, windows } = this.#batch;
    const own = finished.filter(({ labels: { sessionId }, isContested }) => {
      return ids.has(sessionId) && !isContested && !this.#deferredIds.has(sessionId);
    });
    for (const { labels } of await withStaleWindows(this.#store, own, windows)) {
      await remakeOwnWindows(this.#store, labels);
    }
  }

  /** Called before the sessions themselves are there: if it breaks off, the next run does it. */
  async #removeLeftovers(): Promise<void> {
    const { inserted, opened, ingestedAt } = this.#batch;
    const named = [...new Set([...inserted.keys(), ...opened.keys()])].map((own) => {
      return { ...own, times: () => timesOf(inserted.get(own)) };
    });
    await removeLeftovers(this.#store, named, ingestedAt);
  }

  async #reviseDiffering(isIncluded: (incoming: IncomingSession) => boolean): Promise<void> {
    const carriers = await reviseDiffering(this.#store, this.#batch, isIncluded);
    await this.#store.table("messages").insert(carriers.batch());
  }

  async #reviseOpened(): Promise<void> {
    const { opened, ingestedAt, inserted } = this.#batch;
    const sessions = { opened, shouldQualifyIds: this.#shouldQualifyIds, ingestedAt, inserted };
    const { carriers, taken } = await reviseOpened(this.#store, sessions);
    await this.#store.table("messages").insert(carriers.batch());
    for (const [own, labels] of taken) await this.#defer(own, labels);
  }

  /** Leaves out sessions whose id another session has got since they were presumed new. */
  async #deferTaken(): Promise<IdConflicts> {
    const conflicts = await this.#findIdConflicts();
    for (const [own, labels] of conflicts.taken) await this.#defer(own, labels);
    return conflicts;
  }

  async #findIdConflicts(): Promise<IdConflicts> {
    if (!this.#shouldQualifyIds) return noIdConflicts;
    const { inserted, opened } = this.#batch;
    const incoming = [...inserted.keys(), ...opened.keys()];
    const presumedNew = new Set(incoming.filter(({ windowIds }) => windowIds !== undefined));
    return findIdConflicts(this.#store, presumedNew, inserted);
  }

  async #defer(own: IncomingSession, labels: Labels): Promise<void> {
    const { inserted, opened, ingestedAt } = this.#batch;
    const times = timesOf(inserted.get(own));
    deferSession(own.outcome);
    this.#deferredIds.add(labels.sessionId);
    inserted.delete(own);
    opened.delete(own);
    const named = { labels: own.labels, bases: [labels], times: () => times };
    await removeLeftovers(this.#store, [named], ingestedAt);
  }
}
