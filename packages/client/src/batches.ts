import type { IngestEvent } from "@pond/wire";
import { toJsonText } from "./json-text.ts";

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
  /** Id of the message, where it is one of that session. */
  readonly message?: string;
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
  let message: (Unit & { readonly rows: Row[] }) | undefined;
  for await (const event of events) {
    const text = toJsonText(event, ["events", String(place)]);
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
      const { id, session_id } = event.message;
      const isOfSession = session?.opens === session_id;
      message = isOfSession
        ? { rows: [row], session, message: id }
        : { rows: [row], session: undefined };
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

  /**
   * False, and nothing added, where it would be too much; an empty batch takes anything. Room is
   * left for the neighbours.
   */
  add(unit: Unit, caps: Caps): boolean {
    const { session = this.#session } = unit;
    const isThere = session === this.#session || session === unit.rows[0];
    const rows = session === undefined || isThere ? unit.rows : [session, ...unit.rows];
    const bytes = this.#bytes + bytesOf(rows);
    const { maxEvents, maxBytes } = neighbourCaps(caps);
    const isTooMuch =
      this.rows.length + rows.length > caps.maxEvents - 2 * maxEvents ||
      bytes > caps.maxBytes - 2 * maxBytes;
    if (isTooMuch && this.units.length > 0) return false;
    this.units.push(unit);
    for (const row of rows) this.rows.push(row);
    this.#bytes = bytes;
    this.#session = session;
    return true;
  }

  /**
   * The rows between the messages right before and behind them in the stream, where those are small
   * and of the same session. They tell the server where the others belong in what it stores.
   */
  rowsBetween({ before, after }: Neighbours, caps: Caps): readonly Row[] {
    const [session, ...rows] = this.rows;
    if (session === undefined) return [];
    // No message comes twice in one request.
    const ids = new Set(this.units.map(({ message }) => message));
    const rowsOf = (unit: Unit | undefined, beside: Unit | undefined): readonly Row[] => {
      if (unit?.message === undefined || beside?.message === undefined) return [];
      if (unit.session !== beside.session || !isSmall(unit, caps)) return [];
      if (ids.has(unit.message)) return [];
      ids.add(unit.message);
      return unit.rows;
    };
    const head = rowsOf(before, this.units[0]);
    const tail = rowsOf(after, this.units.at(-1));
    // The session's own event stays in front.
    return [session, ...head, ...rows, ...tail];
  }

  /** Two of about half as many units; one alone cannot be cut. */
  halves(): readonly [Batch, Batch] | undefined {
    if (this.units.length < 2) return undefined;
    const middle = this.units.length >> 1;
    return [batchOf(this.units.slice(0, middle)), batchOf(this.units.slice(middle))];
  }
}

/** What stands in the stream before a batch, and behind it. */
export type Neighbours = { readonly before?: Unit | undefined; readonly after?: Unit | undefined };

/** What a neighbour may take of a request. */
function neighbourCaps({ maxEvents, maxBytes }: Caps): Caps {
  return { maxEvents: Math.floor(maxEvents / 8), maxBytes: Math.floor(maxBytes / 8) };
}

function isSmall({ rows }: Unit, caps: Caps): boolean {
  const { maxEvents, maxBytes } = neighbourCaps(caps);
  return rows.length <= maxEvents && bytesOf(rows) <= maxBytes;
}

function bytesOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + row.bytes, 0);
}

const uncapped: Caps = {
  maxEvents: Number.MAX_SAFE_INTEGER,
  maxBytes: Number.MAX_SAFE_INTEGER,
};

function batchOf(units: readonly Unit[]): Batch {
  const batch = new Batch();
  for (const unit of units) batch.add(unit, uncapped);
  return batch;
}
