import type { IngestOutcome } from "@pond/sessions";
import {
  type IngestedSession,
  type IngestResponse,
  type ReceivedIngest,
  type RejectedRow,
  WireError,
} from "@pond/wire";
import type { Resources } from "../resources.ts";
import { storeTogether } from "./ingest-group.ts";
import { groupRows, type SessionRows } from "./ingest-rows.ts";

// Searches read every text that no index covers: of a few long ones as much as of many of these.
const usualChars = 2_048;

/**
 * Stores canonical events. An error in one costs its message, or its session, and nothing else;
 * repeating the request changes nothing (`adapter-integrity-additive-sync`).
 */
export async function ingest(
  { events }: ReceivedIngest,
  resources: Resources,
): Promise<IngestResponse> {
  const startedMs = performance.now();
  const { limits, open, upkeep } = resources;
  if (events.length > limits.maxEvents) {
    throw new WireError(
      "validation_failed",
      `events: ${events.length} are more than the ${limits.maxEvents} one request may hold`,
      { field: "events", limit: limits.maxEvents },
    );
  }
  const { sessions: grouped, rejected } = groupRows(events);
  const store = await open("write");
  await upkeep.caughtUp(store);
  const outcomes = await storeTogether(store, grouped, resources);
  const added = [...outcomes.values()].reduce((sum, each) => sum + each.messages_added, 0);
  if (added > 0) upkeep.stored(store, Math.max(added, Math.ceil(textChars(grouped) / usualChars)));
  const rows = new Map(rejected.map((row) => [row.event, row]));
  for (const each of grouped) {
    const row = rejectedSessionRow(each, outcomes.get(each));
    if (row !== undefined) rows.set(row.event, row);
  }
  return {
    events: events.length,
    accepted: events.length - rows.size,
    rejected: [...rows.values()].sort((left, right) => left.event - right.event),
    sessions: grouped.map((each) => toSession(each, outcomes.get(each), rows)),
    took_ms: Math.round((performance.now() - startedMs) * 10) / 10,
  };
}

/** How much text messages hold, including those that were stored before. */
function textChars(sessions: readonly SessionRows[]): number {
  const rows = sessions.flatMap(({ messages }) => messages.flatMap((message) => message.rows));
  return rows.reduce((sum, { value }) => {
    return value.kind === "part" && value.part.type === "text" ? sum + value.part.text.length : sum;
  }, 0);
}

/** The session's own row, if what is stored takes precedence over it, or the store refused it. */
function rejectedSessionRow(
  { session, id }: SessionRows,
  outcome: IngestOutcome | undefined,
): RejectedRow | undefined {
  if (session === undefined || outcome === undefined) return undefined;
  const { event } = session;
  if (outcome.error !== undefined) {
    return { event, code: "invalid", message: outcome.error.message, details: { session_id: id } };
  }
  if (!outcome.rejected) return undefined;
  const message = "it is stored with another source_agent or project; the stored ones stay";
  return { event, code: "immutable", message, details: { session_id: id } };
}

function toSession(
  { id, events }: SessionRows,
  outcome: IngestOutcome | undefined,
  rejected: ReadonlyMap<number, RejectedRow>,
): IngestedSession {
  return {
    session_id: id,
    status: outcome?.status ?? "failed",
    messages_added: outcome?.messages_added ?? 0,
    parts_added: outcome?.parts_added ?? 0,
    revisions: outcome?.revisions ?? 0,
    rows_rejected: events.filter((event) => rejected.has(event)).length,
  };
}
