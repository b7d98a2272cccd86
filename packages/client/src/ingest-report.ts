import type { IngestedSession, IngestResponse, RejectedRow } from "@pond/wire";
import type { Row } from "./batches.ts";

/** Adds up the answers to the batches of a stream, as if it had been one request. */
export class IngestReport {
  readonly #rejected: Map<number, RejectedRow> = new Map();
  readonly #sessions: Map<string, IngestedSession> = new Map();
  #events = 0;
  #tookMs = 0;

  /** @param rows - The rows that were sent; some of them repeated. */
  add(rows: readonly Row[], { rejected, sessions, took_ms }: IngestResponse): void {
    const streamPlaceOf = (event: unknown): number => rows[Number(event)]?.event ?? Number(event);
    for (const session of sessions) {
      const known = this.#sessions.get(session.session_id);
      this.#sessions.set(session.session_id, known ? sum(known, session) : session);
    }
    for (const row of rejected) {
      const event = streamPlaceOf(row.event);
      if (this.#rejected.has(event)) {
        const own = rows.findLast(
          ({ sessionId }, at) => at <= row.event && sessionId !== undefined,
        );
        this.#uncountRepeat(own?.sessionId);
      }
      this.#rejected.set(event, { ...inStreamPlaces(row, streamPlaceOf), event });
    }
    this.#count(rows);
    this.#tookMs += took_ms;
  }

  /** Reports why the server did not take a message that no request can hold. */
  refuse(
    rows: readonly Row[],
    { message, details }: Pick<RejectedRow, "message" | "details">,
  ): void {
    const [first] = rows;
    for (const { event } of rows) {
      const row: RejectedRow =
        event === first?.event
          ? { event, code: "invalid", message, details }
          : { event, code: "left_out", message, details: { event: first?.event ?? event } };
      this.#rejected.set(event, row);
    }
    this.#count(rows);
  }

  get response(): IngestResponse {
    return {
      events: this.#events,
      accepted: this.#events - this.#rejected.size,
      rejected: [...this.#rejected.values()].sort((left, right) => left.event - right.event),
      sessions: [...this.#sessions.values()],
      took_ms: this.#tookMs,
    };
  }

  #count(rows: readonly Row[]): void {
    for (const { event } of rows) this.#events = Math.max(this.#events, event + 1);
  }

  /** Counts an event only once if it was sent again. */
  #uncountRepeat(sessionId: string | undefined): void {
    const known = sessionId === undefined ? undefined : this.#sessions.get(sessionId);
    if (known === undefined) return;
    this.#sessions.set(known.session_id, { ...known, rows_rejected: known.rows_rejected - 1 });
  }
}

/** A rejected row with the places of the stream in its details and its message. */
function inStreamPlaces(row: RejectedRow, streamPlaceOf: (event: unknown) => number): RejectedRow {
  if (row.code !== "left_out") return row;
  const { event: sent } = row.details;
  const event = streamPlaceOf(sent);
  const message = row.message.replace(/\bevent (\d+)$/, (named, digits: string) =>
    Number(digits) === sent ? `event ${event}` : named,
  );
  return { ...row, message, details: { ...row.details, event } };
}

/** From the least informative to the most informative. */
const statuses = ["failed", "unchanged", "revised", "grown", "new"] as const;

function sum(left: IngestedSession, right: IngestedSession): IngestedSession {
  const rank = Math.max(statuses.indexOf(left.status), statuses.indexOf(right.status));
  return {
    session_id: left.session_id,
    status: statuses[rank] ?? left.status,
    messages_added: left.messages_added + right.messages_added,
    parts_added: left.parts_added + right.parts_added,
    revisions: left.revisions + right.revisions,
    rows_rejected: left.rows_rejected + right.rows_rejected,
  };
}
