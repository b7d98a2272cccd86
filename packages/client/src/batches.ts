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

/** Of a server that has refused nothing yet. */
export const uncapped: Caps = {
  maxEvents: Number.MAX_SAFE_INTEGER,
  maxBytes: Number.MAX_SAFE_INTEGER,
};

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
    // Of an event that is none the server says so, in its place.
    const kind = event?.kind;
    if (kind === "part" && message !== undefined) {
      message.rows.push(row);
      continue;
    }
    if (message !== undefined) yield message;
    message = undefined;
    if (kind === "session") {
      session = { ...row, opens: event.session?.id };
      yield { rows: [session], session };
    } else if (kind === "message") {
      const isOfSession = session?.opens === event.message?.session_id;
      message = isOfSession
        ? { rows: [row], session, message: event.message?.id }
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

  /** True where it is not too much with this unit and the messages beside; an empty one takes any. */
  hasRoom(unit: Unit, { before, after }: Neighbours, caps: Caps): boolean {
    if (this.units.length === 0) return true;
    const rows = [
      ...this.#rowsOf(unit),
      ...neighbour(before, this.units[0]),
      ...neighbour(after, unit),
    ];
    const events = this.rows.length + rows.length;
    return events <= caps.maxEvents && this.#bytes + bytesOf(rows) <= caps.maxBytes;
  }

  add(unit: Unit): void {
    for (const row of this.#rowsOf(unit)) {
      this.rows.push(row);
      this.#bytes += row.bytes;
    }
    this.units.push(unit);
    this.#session = unit.session ?? this.#session;
  }

  /**
   * The rows between the messages right before and behind them in the stream, where those are of the
   * same session. They tell the server where the others belong in what it stores.
   */
  rowsBetween({ before, after }: Neighbours): readonly Row[] {
    const [session, ...own] = this.rows;
    if (session === undefined) return [];
    // No message comes twice in one request.
    const ids = new Set(this.units.map(({ message }) => message));
    const head = ids.has(before?.message) ? [] : neighbour(before, this.units[0]);
    ids.add(before?.message);
    const tail = ids.has(after?.message) ? [] : neighbour(after, this.units.at(-1));
    // The session's own event stays in front.
    return [session, ...head, ...own, ...tail];
  }

  /** What it takes to add a unit. */
  #rowsOf({ session = this.#session, rows }: Unit): readonly Row[] {
    const isThere = session === undefined || session === this.#session || session === rows[0];
    return isThere ? rows : [session, ...rows];
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

/** The rows of what stands beside a unit, where both are messages of one session. */
function neighbour(unit: Unit | undefined, beside: Unit | undefined): readonly Row[] {
  if (unit?.message === undefined || beside?.message === undefined) return [];
  return unit.session === beside.session ? unit.rows : [];
}

/** True for what is not too much. */
export function fits(rows: readonly Row[], { maxEvents, maxBytes }: Caps): boolean {
  return rows.length <= maxEvents && bytesOf(rows) <= maxBytes;
}

/** What these texts come to, with what stands between them. */
export function bytesOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + row.bytes, 0);
}

function batchOf(units: readonly Unit[]): Batch {
  const batch = new Batch();
  for (const unit of units) batch.add(unit);
  return batch;
}
