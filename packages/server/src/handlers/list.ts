import { fromRfc3339 } from "@pond/canonical";
import { refuseUnknown, timeBounds } from "@pond/search";
import {
  type ListedSession,
  listSessions,
  SessionNotFoundError,
  type SessionStore,
  similarProjects,
} from "@pond/sessions";
import { eq } from "@pond/substrate";
import type { ListRequest, ListResponse } from "@pond/wire";
import type { Resources } from "../resources.ts";
import { withoutAges } from "./ages.ts";
import { withIdCandidates } from "./id-candidates.ts";
import { refused } from "./refused.ts";

const defaultLimit = 20;

/** Returns a page of sessions, the last active first. Goes beyond the operations of spec 7.5. */
export async function list(
  request: ListRequest,
  { open, now, signal }: Resources,
): Promise<ListResponse> {
  const { project, agent, parent, limit = defaultLimit } = request;
  const after = request.after === undefined ? undefined : readToken(request.after);
  const { from: since, to: until } = timeBounds(withoutAges(request, now()));
  const filters = { project, agent, parent, since, until, after };
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
  await refuseUnknown(sessions, { agent });
  const similar = project === undefined ? undefined : await similarProjects(sessions, project);
  return { sessions: [], ...(similar !== undefined && { similar_projects: similar }) };
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
