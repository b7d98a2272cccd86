import { fromRfc3339, fromTimeOrDate, type Micros } from "@pond/canonical";
import {
  type ListedSession,
  listSessions,
  SessionNotFoundError,
  type SessionStore,
  similarProjects,
  storedAgents,
} from "@pond/sessions";
import { eq } from "@pond/substrate";
import type { ListRequest, ListResponse } from "@pond/wire";
import type { Resources } from "../resources.ts";
import { withIdCandidates } from "./id-candidates.ts";
import { refused } from "./refused.ts";

const defaultLimit = 20;

/** Returns a page of sessions, the last active first. Goes beyond the operations of spec 7.5. */
export async function list(
  request: ListRequest,
  { open, signal }: Resources,
): Promise<ListResponse> {
  const { project, agent, parent, limit = defaultLimit } = request;
  const after = request.after === undefined ? undefined : readToken(request.after);
  const filters = { project, agent, parent, ...timesOf(request), after };
  const sessions = await open("read");
  signal?.throwIfAborted();
  // One more than asked for shows whether there are more.
  const listed = await listSessions(sessions, { ...filters, limit: limit + 1 });
  const shown = listed.slice(0, limit);
  const last = shown.at(-1);
  if (last === undefined && after === undefined) return nothingListed(sessions, request);
  return {
    sessions: shown,
    ...(last !== undefined && listed.length > limit && { next: tokenOf(last) }),
  };
}

/** @throws {WireError} for a client of which nothing is stored, or a parent that is not stored. */
async function nothingListed(
  sessions: SessionStore,
  { project, agent, parent }: ListRequest,
): Promise<ListResponse> {
  if (parent !== undefined) {
    const isStored = (await sessions.store.table("sessions").count(eq("id", parent))) > 0;
    const error = new SessionNotFoundError(parent);
    if (!isStored) throw await withIdCandidates(error, sessions, parent);
  }
  if (agent !== undefined) {
    const agents = await storedAgents(sessions);
    if (!agents.includes(agent)) {
      const name = agent.slice(0, 40).toWellFormed();
      const stored = agents.join(", ") || "none";
      throw refused("agent", `no session of "${name}" is stored; there are: ${stored}`);
    }
  }
  const similar = project === undefined ? undefined : await similarProjects(sessions, project);
  return { sessions: [], ...(similar !== undefined && { similar_projects: similar }) };
}

function timesOf({ since, until }: ListRequest): {
  readonly since: Micros | undefined;
  readonly until: Micros | undefined;
} {
  const times = { since: timeOf("since", since), until: timeOf("until", until) };
  if (times.since !== undefined && times.until !== undefined && times.since >= times.until) {
    throw refused("until", `${until} is not after since, ${since}`);
  }
  return times;
}

function timeOf(field: "since" | "until", text: string | undefined): Micros | undefined {
  if (text === undefined) return undefined;
  const micros = fromTimeOrDate(text);
  if (micros !== undefined) return micros;
  const example = "2026-11-20 or 2026-11-20T08:00:00Z";
  throw refused(field, `"${text.slice(0, 40).toWellFormed()}" is not a time; write ${example}`);
}

type Position = Pick<ListedSession, "last_activity" | "session_id">;

/** A place in the order of activity, which sessions that are stored meanwhile do not move. */
function tokenOf({ last_activity, session_id }: Position): string {
  return `${last_activity}/${session_id}`;
}

function readToken(token: string): Position {
  const [, time = "", id = ""] = /^([^/]*)\/(.+)$/s.exec(token) ?? [];
  if (fromRfc3339(time) === undefined) throw refused("after", "it is not the `next` of an answer");
  return { last_activity: time, session_id: id };
}
