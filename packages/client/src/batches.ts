import { type JsonValue, stringifyJson } from "@pond/canonical";
import type { IngestEvent } from "@pond/wire";

/** An event as it is sent. */
export type Row = {
  /** Its place in the stream, from 0. */
  readonly event: number;
  readonly text: string;
  readonly bytes: number;
  /** The session, where this is a session's own event. */
  readonly opens?: string;
};

/** What must not be cut: a session's own event, or a message with its parts. */
export type Unit = {
  readonly rows: readonly Row[];
  /** Its session's own event, without which no request can hold it. */
  readonly session: Row | undefined;
};

/** How much one request may hold: its events, and the bytes of them. */
export type Caps = { readonly maxEvents: number; readonly maxBytes: number };

/**
 * Puts the events of a stream together so that each unit can be sent by itself. Sessions come one
 * after the other; of each only its own event and one message are held.
 */
export async function* unitsOf(
  events: Iterable<IngestEvent> | AsyncIterable<IngestEvent>,
): AsyncGenerator<Unit> {
  const encoder = new TextEncoder();
  let place = 0;
  let session: Row | undefined;
  let message: { readonly rows: Row[]; readonly session: Row | undefined } | undefined;
  for await (const event of events) {
    const text = stringifyJson(event as JsonValue);
    const row: Row = { event: place++, text, bytes: encoder.encode(text).length + comma };
    if (event.kind === "part" && message !== undefined) {
      message.rows.push(row);
      continue;
    }
    if (message !== undefined) yield message;
    message = undefined;
    if (event.kind === "session") {
      session = { ...row, opens: event.session.id };
      yield { rows: [session], session };
    } else if (event.kind === "message") {
      const isOfSession = session?.opens === event.message.session_id;
      message = { rows: [row], session: isOfSession ? session : undefined };
    } else yield { rows: [row], session: undefined };
  }
  if (message !== undefined) yield message;
}

const comma = 1;

/** What one request holds. A session begun in an earlier one begins with its own event again. */
export class Batch {
  readonly units: Unit[] = [];
  readonly rows: Row[] = [];
  #bytes = 0;
  #session: Row | undefined;

  /** False, and nothing added, where it would be too much; an empty batch takes anything. */
  add(unit: Unit, caps: Caps): boolean {
    const { session = this.#session } = unit;
    const isThere = session === this.#session || session === unit.rows[0];
    const rows = session === undefined || isThere ? unit.rows : [session, ...unit.rows];
    const bytes = rows.reduce((sum, row) => sum + row.bytes, this.#bytes);
    const isTooMuch = this.rows.length + rows.length > caps.maxEvents || bytes > caps.maxBytes;
    if (isTooMuch && this.units.length > 0) return false;
    this.units.push(unit);
    for (const row of rows) this.rows.push(row);
    this.#bytes = bytes;
    this.#session = session;
    return true;
  }

  /** Two of about half as many units; one alone cannot be cut. */
  halves(): readonly [Batch, Batch] | undefined {
    if (this.units.length < 2) return undefined;
    const middle = this.units.length >> 1;
    return [batchOf(this.units.slice(0, middle)), batchOf(this.units.slice(middle))];
  }
}

const uncapped: Caps = { maxEvents: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

function batchOf(units: readonly Unit[]): Batch {
  const batch = new Batch();
  for (const unit of units) batch.add(unit, uncapped);
  return batch;
}
