import { fromRfc3339, type Micros } from "@pond/canonical";
import { projectFilter, type SessionStore, storedAgents } from "@pond/sessions";
import { titleTime } from "@pond/sessions/search";
import { and, eq, type Filter, gte, lt, or } from "@pond/substrate";
import { displayValue, FilterError } from "./errors.ts";
import type { SearchRequest } from "./request.ts";

/** The checked bounds of a request as conditions that the arms push down. */
export type Scope = {
  /** On messages. */
  readonly messages: Filter | undefined;
  /** On windows. A window has no role: it may hold messages of both. */
  readonly windows: Filter | undefined;
  /** True if a window in scope may hold no message that is in scope. */
  readonly hasMessageFilters: boolean;
};

const roles = ["user", "assistant"];
// The longest folder or id; anything longer is a mistake.
const maxFilterChars = 32_768;
const fields: ReadonlySet<string> = new Set<keyof SearchRequest>([
  "query",
  "project",
  "session",
  "agent",
  "role",
  "since",
  "until",
  "min_score",
  "limit",
  "after",
  "explain",
]);

/** @throws {FilterError} for an unknown filter, or one that no message can meet. */
export function toScope(request: SearchRequest): Scope {
  const unknown = Object.keys(request).find((field) => !fields.has(field));
  if (unknown !== undefined) {
    throw new FilterError(
      displayValue(unknown),
      `no such filter; there are ${[...fields].join(", ")}`,
    );
  }
  const { role } = request;
  if (role !== undefined && !roles.includes(role)) {
    throw new FilterError("role", `"${displayValue(role)}" is not searched; use user or assistant`);
  }
  if (request.explain !== undefined && typeof request.explain !== "boolean") {
    throw new FilterError("explain", "it is neither true nor false");
  }
  const shared = [
    ...whereText(request, "session", (value) => eq("session_id", value)),
    ...whereText(request, "agent", (value) => eq("source_agent", value)),
    ...whereText(request, "project", projectFilter),
  ];
  const times = timeBounds(request);
  const ofRole = role === undefined ? [] : [eq("role", role)];
  return {
    messages: all([...shared, ...timeFilters(times), ...ofRole]),
    windows: all([...shared, ...windowTimes(times)]),
    hasMessageFilters: [role, request.since, request.until].some((bound) => bound !== undefined),
  };
}

/**
 * Called if a filter leaves nothing: reports one that names something the store has never seen.
 *
 * @throws {FilterError}
 */
export async function refuseUnknown(
  sessions: SessionStore,
  { agent, session }: Pick<SearchRequest, "agent" | "session">,
): Promise<void> {
  const table = sessions.store.table("sessions");
  if (session !== undefined && (await table.count(eq("id", session))) === 0) {
    throw new FilterError("session", `no session "${displayValue(session)}" is stored`);
  }
  if (agent === undefined || (await table.count(eq("source_agent", agent))) > 0) return;
  const agents = await storedAgents(sessions);
  const stored = agents.join(", ") || "none";
  throw new FilterError(
    "agent",
    `no session of "${displayValue(agent)}" is stored; there are: ${stored}`,
  );
}

function whereText(
  request: SearchRequest,
  field: "session" | "agent" | "project",
  toFilter: (value: string) => Filter,
): Filter[] {
  const value = request[field];
  if (value === undefined) return [];
  if (typeof value !== "string") throw new FilterError(field, "it is not a string");
  if (value.trim() === "") throw new FilterError(field, "it is empty");
  if (value.length > maxFilterChars) {
    throw new FilterError(field, `it is longer than ${maxFilterChars} characters`);
  }
  return [toFilter(value)];
}

/** From a time on, and before another, in microseconds since the epoch. */
export type TimeBounds = { readonly from: Micros | undefined; readonly to: Micros | undefined };

// A window has the time of its first message, and a later message in it may be within the bounds.
const windowMicros = 24n * 3_600_000_000n;

/**
 * The times of a request: RFC 3339, or a date, which means its midnight UTC.
 *
 * @throws {FilterError} for text that is no time, and times in the wrong order.
 */
export function timeBounds({ since, until }: Pick<SearchRequest, "since" | "until">): TimeBounds {
  const from = since === undefined ? undefined : timeOf("since", since);
  const to = until === undefined ? undefined : timeOf("until", until);
  if (from !== undefined && to !== undefined && from >= to) {
    throw new FilterError("until", `${until} is not after since, ${since}`);
  }
  return { from, to };
}

function timeFilters({ from, to }: TimeBounds): Filter[] {
  return [
    ...(from === undefined ? [] : [gte("timestamp", { micros: from })]),
    ...(to === undefined ? [] : [lt("timestamp", { micros: to })]),
  ];
}

/** The same for windows. Windows of titles belong to every time. */
function windowTimes({ from, to }: TimeBounds): Filter[] {
  const bounds = timeFilters({ from: from === undefined ? undefined : from - windowMicros, to });
  if (bounds.length === 0) return [];
  return [or(and(...bounds), eq("timestamp", { micros: titleTime }))];
}

function timeOf(field: "since" | "until", text: string): Micros {
  if (typeof text !== "string") throw new FilterError(field, "it is not a string");
  const isDate = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const micros = fromRfc3339(isDate ? `${text}T00:00:00Z` : text);
  if (micros === undefined) {
    const example = "2026-11-20 or 2026-11-20T08:00:00Z";
    throw new FilterError(field, `"${displayValue(text)}" is not a time; write ${example}`);
  }
  return micros;
}

function all(filters: readonly Filter[]): Filter | undefined {
  return filters.length > 1 ? and(...filters) : filters[0];
}
