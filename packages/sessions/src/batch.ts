import type { Session } from "@pond/canonical";
import type { Store } from "@pond/substrate";
import { Columns, type RowValues } from "./columns.ts";
import { findTorn, reviseDiffering, tornDigest } from "./conflicts.ts";
import type { Gathered, Inserted } from "./gathered.ts";
import { settleStatus } from "./outcome.ts";
import type { PreparedMessage } from "./prepare.ts";
import { messageRow, partRow, sessionRow, windowRow } from "./to-rows.ts";
import { emptyStaleWindows } from "./window-rows.ts";
import type { Window } from "./windows.ts";

/** Rows of many sessions on their way into the store as few, large commits. */
export class Batch {
  readonly ingestedAt: bigint;
  bytes = 0;
  readonly #messages = new Columns();
  readonly #parts = new Columns();
  readonly #windows = new Columns();
  readonly #sessions = new Columns();
  readonly #inserted: Map<Gathered, Inserted[]> = new Map();
  readonly #finished: Gathered[] = [];
  readonly #ids: Set<string> = new Set();

  constructor(ingestedAt: bigint) {
    this.ingestedAt = ingestedAt;
  }

  /** True where a session's rows are on their way in this batch. */
  holds(sessionId: string): boolean {
    return this.#ids.has(sessionId);
  }

  addMessage(gathered: Gathered, message: PreparedMessage, ordinal: bigint): void {
    const { labels, outcome } = gathered;
    this.#ids.add(labels.sessionId);
    const row = this.#messages.push(messageRow(labels, message, ordinal, this.ingestedAt));
    let position = 0;
    for (const part of message.preparedParts) {
      const { id } = message.header;
      this.#parts.push(partRow(labels.sessionId, id, part, position++, this.ingestedAt));
    }
    const inserted = this.#inserted.get(gathered);
    if (inserted) inserted.push({ message, ordinal, row });
    else this.#inserted.set(gathered, [{ message, ordinal, row }]);
    this.bytes += message.bytes;
    outcome.messages_added += 1;
    outcome.parts_added += position;
  }

  /** A message row built by the caller. */
  addCarrier({ labels }: Gathered, row: RowValues): void {
    this.#ids.add(labels.sessionId);
    this.#messages.push(row);
    this.bytes += String(row["options"]).length;
  }

  addWindows(gathered: Gathered, windows: readonly Window[]): void {
    for (const window of windows) {
      this.#windows.push(windowRow(gathered.labels, window));
      this.bytes += window.text?.length ?? 0;
    }
  }

  addSession(session: Session, host: string): void {
    this.#ids.add(session.id);
    this.#sessions.push(sessionRow(session, host, this.ingestedAt));
  }

  /** Nothing more comes of this session. */
  finish(gathered: Gathered): void {
    this.#finished.push(gathered);
  }

  /**
   * Commits parts, windows, messages and session rows in this order, so that a row that is
   * visible has everything below it, then makes them durable, then acknowledges.
   */
  async write(store: Store): Promise<void> {
    if (this.#ids.size > 0) {
      await this.#writeRows(store);
      await store.flush();
    }
    for (const { hooks, outcome } of this.#finished) {
      settleStatus(outcome);
      await hooks.onCommitted(outcome);
    }
  }

  async #writeRows(store: Store): Promise<void> {
    const parts = await store.table("parts").insert(this.#parts.batch());
    const torn = parts.present > 0 ? await findTorn(store, this.#inserted, this.ingestedAt) : [];
    for (const { row } of torn) this.#messages.set(row, "digest", tornDigest);
    await store.table("windows").replace(this.#windows.batch());
    const messages = await store.table("messages").insert(this.#messages.batch());
    if (messages.present + torn.length > 0) {
      const carriers = await reviseDiffering(store, this.#inserted, this.ingestedAt);
      await store.table("messages").insert(carriers.batch());
    }
    for (const gathered of this.#finished) {
      const { hasLeftovers, hooks } = gathered;
      if (hasLeftovers && (await hooks.isUnchanged())) await emptyStaleWindows(store, gathered);
    }
    await store.table("sessions").insert(this.#sessions.batch());
  }
}
