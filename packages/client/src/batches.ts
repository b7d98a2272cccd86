import type { IngestEvent } from "@pond/wire";
import { toJsonText } from "./json-text.ts";

/** An event in the form in which it is sent. */
export type Row = {
  /** Its place in the stream, from 0. */
  readonly event: number;
  readonly text: string;
  readonly bytes: number;
  /** Id of the session, if this is a session's own event. */
  readonly sessionId?: string;
};

/** Rows that must not be separated: a session's own event, or a message with its parts. */
export type Unit = {
  readonly rows: readonly Row[];
  /** The event of the session it belongs to, without which no request can hold it. */
  readonly session: Row | undefined;
  /** Id of the message, if it belongs to that session. */
  readonly message?: string;
};

/** How much one request may hold: the number of its events and their bytes. */
export type Caps = { readonly maxEvents: number; readonly maxBytes: number };

/** The limits of a server that has refused nothing yet. */
export const noCaps: Caps = {
  maxEvents: Number.MAX_SAFE_INTEGER,
  maxBytes: Number.MAX_SAFE_INTEGER,
};

/**
 * Groups the events of a stream so that each unit can be sent by itself. Sessions come one after
 * the other; only the session's own event and one message are held at a time.
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
    // An event that is not valid stays in its place; the server reports it.
    const kind = event?.kind;
    if (kind === "part" && message !== undefined) {
      message.rows.push(row);
      continue;
    }
    if (message !== undefined) yield message;
    message = undefined;
    if (kind === "session") {
      session = { ...row, sessionId: event.session?.id };
      yield { rows: [session], session };
    } else if (kind === "message") {
      const isOfSession = session?.sessionId === event.message?.session_id;
      message = isOfSession
        ? { rows: [row], session, message: event.message?.id }
        : { rows: [row], session: undefined };
    } else yield { rows: [row], session: undefined };
  }
  if (message !== undefined) yield message;
}

const comma = 1;

/**
 * The content of one request. If its session began in an earlier request, that session's own event
 * is repeated at the start.
 */
export class Batch {
  readonly units: Unit[] = [];
  readonly rows: Row[] = [];
  #bytes = 0;
  #session: Row | undefined;

  /**
   * True if the batch stays within `caps` with this unit and the messages on either side. An empty
   * batch takes any unit.
   */
  hasRoom(unit: Unit, { before, after }: Neighbours, caps: Caps): boolean {
    if (this.units.length === 0) return true;
    const rows = [
      ...this.#rowsOf(unit),
      ...neighbourRows(before, this.units[0]),
      ...neighbourRows(after, unit),
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
   * The rows, between the messages right before and after them in the stream if those belong to the
   * same session. The neighbours tell the server where the others belong among what it stores.
   */
  rowsBetween({ before, after }: Neighbours): readonly Row[] {
    const [session, ...own] = this.rows;
    if (session === undefined) return [];
    // No message comes twice in one request.
    const ids = new Set(this.units.map(({ message }) => message));
    const head = ids.has(before?.message) ? [] : neighbourRows(before, this.units[0]);
    ids.add(before?.message);
    const tail = ids.has(after?.message) ? [] : neighbourRows(after, this.units.at(-1));
    // The session's own event stays first.
    return [session, ...head, ...own, ...tail];
  }

  /** The rows that adding a unit takes. */
  #rowsOf({ session = this.#session, rows }: Unit): readonly Row[] {
    const isIncluded = session === undefined || session === this.#session || session === rows[0];
    return isIncluded ? rows : [session, ...rows];
  }

  /** Two batches of about half as many units; undefined for one unit, which cannot be cut. */
  halves(): readonly [Batch, Batch] | undefined {
    if (this.units.length < 2) return undefined;
    const middle = this.units.length >> 1;
    return [batchOf(this.units.slice(0, middle)), batchOf(this.units.slice(middle))];
  }
}

/** The units in the stream right before a batch and right after it. */
export type Neighbours = { readonly before?: Unit | undefined; readonly after?: Unit | undefined };

/** The rows of a neighbouring unit, if both are messages of one session. */
function neighbourRows(unit: Unit | undefined, beside: Unit | undefined): readonly Row[] {
  if (unit?.message === undefined || beside?.message === undefined) return [];
  return unit.session === beside.session ? unit.rows : [];
}

/** True if the rows stay within the limits. */
export function fits(rows: readonly Row[], { maxEvents, maxBytes }: Caps): boolean {
  return rows.length <= maxEvents && bytesOf(rows) <= maxBytes;
}

/** The bytes of these rows and the separators between them. */
export function bytesOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + row.bytes, 0);
}

function batchOf(units: readonly Unit[]): Batch {
  const batch = new Batch();
  for (const unit of units) batch.add(unit);
  return batch;
}
