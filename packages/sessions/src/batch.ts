import type { Session } from "@pond/canonical";
import { eq, type Store } from "@pond/substrate";
import { Columns } from "./columns.ts";
import type { IngestOutcome, SessionHooks } from "./outcome.ts";
import type { PreparedMessage } from "./prepare.ts";
import { liveMessages, type StoredMessage } from "./reconcile.ts";
import { revisionRow } from "./revisions.ts";
import { type Labels, messageRow, partRow, sessionRow, windowRow } from "./to-rows.ts";
import type { Window } from "./windows.ts";

/** What is being gathered of one session; a session may span batches, its end closes it. */
export type Gathered = {
  readonly labels: Labels;
  readonly hooks: SessionHooks;
  readonly outcome: IngestOutcome;
};

const storedColumns = ["session_id", "id", "ordinal", "digest", "revises", "revision"] as const;

/** Rows of many sessions on their way into the store as few, large commits. */
export class Batch {
  readonly ingestedAt: bigint;
  readonly #messages = new Columns();
  readonly #parts = new Columns();
  readonly #windows = new Columns();
  readonly #sessions = new Columns();
  /** Sessions thought new, and what was inserted of them: checked when some turn out to be there. */
  readonly #unchecked: Map<Gathered, PreparedMessage[]> = new Map();
  readonly #finished: Gathered[] = [];
  readonly #ids: Set<string> = new Set();
  bytes = 0;

  constructor(ingestedAt: bigint) {
    this.ingestedAt = ingestedAt;
  }

  /** True where a session's rows are still on their way in this batch. */
  holds(sessionId: string): boolean {
    return this.#ids.has(sessionId);
  }

  addMessage(gathered: Gathered, message: PreparedMessage, ordinal: bigint): void {
    const { labels, outcome } = gathered;
    this.#ids.add(labels.sessionId);
    this.#messages.push(messageRow(labels, message, ordinal, this.ingestedAt));
    for (const [position, part] of message.preparedParts.entries()) {
      const { id } = message.header;
      this.#parts.push(partRow(labels.sessionId, id, part, position, this.ingestedAt));
    }
    this.bytes += message.bytes;
    outcome.messages_added += 1;
    outcome.parts_added += message.parts.length;
  }

  /** A message of a session that is not in the store, as far as is known. */
  addNew(gathered: Gathered, message: PreparedMessage, ordinal: bigint): void {
    this.addMessage(gathered, message, ordinal);
    const messages = this.#unchecked.get(gathered);
    if (messages) messages.push(message);
    else this.#unchecked.set(gathered, [message]);
  }

  /** A row built by the caller: a carrier. */
  addCarrier(row: Parameters<Columns["push"]>[0]): void {
    this.#messages.push(row);
    this.bytes += String(row["options"]).length;
  }

  addWindows(labels: Labels, windows: readonly Window[]): void {
    for (const window of windows) {
      this.#windows.push(windowRow(labels, window));
      this.bytes += window.text.length;
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
    await Promise.all([
      store.table("parts").insert(this.#parts.batch()),
      store.table("windows").replace(this.#windows.batch()),
    ]);
    const { present } = await store.table("messages").insert(this.#messages.batch());
    if (present > 0) await this.#reviseDiffering(store);
    await store.table("sessions").insert(this.#sessions.batch());
    await store.flush();
    for (const { hooks, outcome } of this.#finished) await hooks.onCommitted(outcome);
  }

  /**
   * Some messages of sessions thought new were there: from a run that broke off, or from another
   * process. Where those rows hold another value than what was just read, that value is added.
   */
  async #reviseDiffering(store: Store): Promise<void> {
    const carriers = new Columns();
    for (const [{ labels, outcome }, messages] of this.#unchecked) {
      const live = liveMessages(await storedMessages(store, labels.sessionId));
      for (const message of messages) {
        const stored = live.get(message.header.id);
        if (stored === undefined || stored.digest === message.digest) continue;
        const state = { ...stored, ...message, timestamp: message.header.timestamp, message };
        carriers.push(revisionRow(labels, stored, state, this.ingestedAt));
        outcome.revisions += 1;
      }
    }
    await store.table("messages").insert(carriers.batch());
  }
}

/** The stored rows of a session, carriers included, as reconciling needs them. */
export async function storedMessages(store: Store, sessionId: string): Promise<StoredMessage[]> {
  const rows = await store
    .table("messages")
    .rows({ columns: storedColumns, where: eq("session_id", sessionId) });
  return rows.map((row) => ({
    id: String(row["id"]),
    ordinal: BigInt(row["ordinal"] as bigint),
    digest: row["digest"] as string | null,
    revises: row["revises"] as string | null,
    revision: BigInt(row["revision"] as bigint),
  }));
}
