import type { Message, Session } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import { Columns } from "../rows/columns.ts";
import { messageFromRow, partFromRow } from "../rows/from-rows.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import { messageRow, partRow as partRowOf, sessionRow, windowRow } from "../rows/to-rows.ts";
import type { Window } from "../search/windows.ts";
import type { IncomingSession, InsertedMessage } from "./incoming-session.ts";

/**
 * The memory that a session takes besides its rows until its batch is stored. For small sessions it
 * is more than their rows.
 */
const sessionOverheadBytes = 8 * 1024;

/** Rows of many sessions, gathered until they are stored together by a `BatchCommit`. */
export class Batch {
  readonly ingestedAt: bigint;
  bytes = 0;
  /** What was added for the first time, by session. */
  readonly inserted: Map<IncomingSession, InsertedMessage[]> = new Map();
  readonly messages: Columns = new Columns(["content", "search_text", "options"]);
  readonly parts: Columns = new Columns(["variant_data", "options"]);
  readonly windows: Columns = new Columns(["text", "message_ids"]);
  readonly sessions: Columns = new Columns();
  /** Sessions whose own rows are new. */
  readonly opened: Map<IncomingSession, Session> = new Map();
  /** Sessions of which no more will come. */
  readonly finished: IncomingSession[] = [];
  /** Ids of the sessions that have rows here. */
  readonly ids: Set<string> = new Set();

  constructor(ingestedAt: bigint) {
    this.ingestedAt = ingestedAt;
  }

  /** True if a session's rows are on their way in this batch. */
  holds(sessionId: string): boolean {
    return this.ids.has(sessionId);
  }

  addMessage(incoming: IncomingSession, message: PreparedMessage, ordinal: bigint): void {
    const { labels, outcome } = incoming;
    const { id, timestamp } = message.header;
    const { digest, preparedParts } = message;
    this.ids.add(labels.sessionId);
    const row = this.messages.push(messageRow(labels, message, ordinal, this.ingestedAt));
    const partRow = this.parts.length;
    const partCount = preparedParts.length;
    for (const [position, part] of preparedParts.entries()) {
      this.parts.push(partRowOf(labels.sessionId, id, part, position, this.ingestedAt));
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
    this.ids.add(labels.sessionId);
    for (const position of at) {
      const part = message.preparedParts[position];
      if (part === undefined) continue;
      const { sessionId } = labels;
      this.parts.push(partRowOf(sessionId, message.header.id, part, position, this.ingestedAt));
    }
    this.bytes += message.bytes;
    outcome.added_at.parts = this.ingestedAt;
    outcome.parts_added += at.length;
  }

  /** A message row built by the caller. */
  addCarrier(incoming: IncomingSession, row: Row): void {
    const { labels, outcome } = incoming;
    this.ids.add(labels.sessionId);
    incoming.messageRows += 1;
    outcome.added_at.messages = this.ingestedAt;
    this.messages.push(row);
    this.bytes += String(row["options"]).length;
  }

  addWindows(incoming: IncomingSession, windows: readonly Window[]): void {
    for (const window of windows) {
      const row = windowRow(incoming.labels, window);
      this.windows.push(row);
      this.bytes += String(row["text"] ?? "").length;
    }
  }

  addSession(incoming: IncomingSession, session: Session, host: string | undefined): void {
    this.ids.add(session.id);
    this.opened.set(incoming, session);
    incoming.outcome.added_at.sessions = this.ingestedAt;
    this.sessions.push(sessionRow(session, host, this.ingestedAt));
  }

  /** No more of this session will come. */
  finish(incoming: IncomingSession): void {
    this.finished.push(incoming);
    this.bytes += sessionOverheadBytes;
  }

  /** A message that was added, from its rows. */
  messageOf({ row, partRow, partCount }: InsertedMessage): Message {
    const parts = Array.from({ length: partCount }, (_, at) => this.partOf(partRow + at));
    return messageFromRow(
      this.messages.row(row),
      parts.map((part) => partFromRow(part, part["data"] ?? null)),
    );
  }

  partOf(row: number): Row {
    return this.parts.row(row);
  }

  /** Gives the memory of the rows back, once they are stored. */
  free(): void {
    for (const rows of [this.messages, this.parts, this.windows]) rows.free();
  }
}
