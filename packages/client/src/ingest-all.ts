import type { IngestEvent, IngestResponse } from "@pond/wire";
import {
  Batch,
  bytesOf,
  type Caps,
  fits,
  type Neighbours,
  noCaps,
  type Row,
  type Unit,
  unitsOf,
} from "./batches.ts";
import type { CallOptions } from "./call.ts";
import { AnswerError, ServerError } from "./errors.ts";
import { IngestReport } from "./ingest-report.ts";
import { requireWholeNumber } from "./settings.ts";
import { untilAborted } from "./until-aborted.ts";

/** How a stream of events is cut into batches. */
export type IngestAllOptions = CallOptions & {
  /**
   * Most events in one request; default 5,000. A server takes 10,000, unless it was configured
   * otherwise.
   */
  readonly maxEvents?: number | undefined;
  /**
   * Most bytes of events in one request; default 8 MiB, half of what a server takes unless it was
   * configured otherwise.
   */
  readonly maxBytes?: number | undefined;
  /** Called after every request with the outcome for all events so far. */
  readonly onProgress?: ((soFar: IngestResponse) => void) | undefined;
};

/** Sends the events in these texts as one request. */
export type SendEvents = (events: string) => Promise<IngestResponse>;

const defaults = { maxEvents: 5_000, maxBytes: 8 * 1024 * 1024 } as const;
// What a request holds besides its events, with room for a namespace.
const envelopeBytes = 1024;

/**
 * Sends a stream of any length, one request after the other.
 *
 * - It is cut between messages, never inside one. The messages on either side of a cut go with both
 *   requests, so that the server knows where the others belong.
 * - A request that is refused as too large, or as too slow to arrive, is sent again as two.
 * - A message that is too large by itself is among the rejected, and costs no other.
 *
 * @returns What one answer to the whole stream would say; places are those in the stream.
 * @throws What `ingest` throws. Sending all of it again is safe and adds what is missing.
 */
export async function ingestAll(
  events: Iterable<IngestEvent> | AsyncIterable<IngestEvent>,
  send: SendEvents,
  options: IngestAllOptions,
): Promise<IngestResponse> {
  const { maxEvents = defaults.maxEvents, maxBytes = defaults.maxBytes } = options;
  const { onProgress, signal } = options;
  const max = Number.MAX_SAFE_INTEGER;
  // The limits for a request, and the limits that the server is known to have.
  let caps: Caps = {
    maxEvents: requireWholeNumber("maxEvents", maxEvents, 1, max),
    maxBytes: requireWholeNumber("maxBytes", maxBytes, 1, max),
  };
  let serverCaps = noCaps;
  const report = new IngestReport();

  /** @returns Why the server refused the rows, if they were too large. */
  const sendRows = async (rows: readonly Row[]): Promise<Refusal | undefined> => {
    try {
      report.add(rows, await send(rows.map(({ text }) => text).join(",")));
      onProgress?.(report.response);
      return undefined;
    } catch (error) {
      const refusal = refusalOf(error, rows);
      if (refusal === undefined) throw error;
      caps = lowerCaps(caps, refusal);
      if (refusal.slow === undefined) serverCaps = lowerCaps(serverCaps, refusal);
      return refusal;
    }
  };
  const sendBatch = async (batch: Batch, { before, after }: Neighbours): Promise<void> => {
    const rows = batch.rowsBetween({ before, after });
    const wasSent = fits(rows, batch.units.length > 1 ? caps : serverCaps);
    const refusal = wasSent ? await sendRows(rows) : undefined;
    if (wasSent && refusal === undefined) return;
    const [first, second] = batch.halves() ?? [];
    if (first !== undefined && second !== undefined) {
      await sendBatch(first, { before, after: second.units[0] });
      await sendBatch(second, { before: first.units.at(-1), after });
      return;
    }
    // A single message, which may be too large with its neighbours, or by itself.
    const hasNoNeighbours = rows.length === batch.rows.length;
    const last = hasNoNeighbours && wasSent ? refusal : await sendRows(batch.rows);
    // Another time the message may arrive sooner, so it is not the one to blame.
    if (last?.slow !== undefined) throw last.slow;
    if (last !== undefined) report.refuse(batch.units[0]?.rows ?? [], last);
  };

  let before: Unit | undefined;
  let batch = new Batch();
  const add = async (unit: Unit, after?: Unit): Promise<void> => {
    if (!batch.hasRoom(unit, { before, after }, caps)) {
      await sendBatch(batch, { before, after: unit });
      before = batch.units.at(-1);
      batch = new Batch();
    }
    batch.add(unit);
  };
  // Each unit waits for the next one, which may have to go with it.
  let last: Unit | undefined;
  for await (const unit of unitsOf(untilAborted(events, signal))) {
    if (last !== undefined) await add(last, unit);
    last = unit;
  }
  if (last !== undefined) await add(last);
  if (batch.units.length > 0) await sendBatch(batch, { before });
  return report.response;
}

/** Why a request was too large; `slow` is the error if it was so for the connection alone. */
type Refusal = Pick<ServerError, "message" | "details"> &
  Partial<Caps> & { readonly slow?: ServerError };

function refusalOf(error: unknown, rows: readonly Row[]): Refusal | undefined {
  // A proxy's own limit, which it does not tell; it is less than this.
  if (error instanceof AnswerError && error.details.status === 413) {
    return { message: error.message, details: {}, maxBytes: bytesOf(rows) - 1 };
  }
  if (!(error instanceof ServerError) || error.code !== "validation_failed") return undefined;
  const { message, details } = error;
  const { limit, field, kind } = details;
  const cap = typeof limit === "number" && limit > 0 ? limit : undefined;
  const known = cap !== undefined;
  if (field === "events" && known) return { message, details, maxEvents: cap };
  if (kind === "body_too_slow") {
    return { message, details, maxBytes: Math.ceil(bytesOf(rows) / 2), slow: error };
  }
  // Half of the bytes hold about half of the arrays and objects.
  if (kind === "body_too_many_objects") return { message, details, maxBytes: bytesOf(rows) - 1 };
  if (kind !== "body_too_large") return undefined;
  return { message, details, ...(known && { maxBytes: Math.max(1, cap - envelopeBytes) }) };
}

function lowerCaps(caps: Caps, { maxEvents, maxBytes }: Refusal): Caps {
  return {
    maxEvents: Math.min(caps.maxEvents, maxEvents ?? caps.maxEvents),
    maxBytes: Math.min(caps.maxBytes, maxBytes ?? caps.maxBytes),
  };
}
