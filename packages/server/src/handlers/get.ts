import { cutContext, getMessage, getSession, type SessionStore } from "@pond/sessions";
import type { GetRequest, GetResponse } from "@pond/wire";
import type { Resources } from "../resources.ts";
import { withIdCandidates } from "./id-candidates.ts";
import { refused } from "./refused.ts";

const pageBytes = 64 * 1024;

/** Returns a page of a session, or one message with its neighbours (spec 7.5). */
export async function get(
  request: GetRequest,
  { open, limits, signal }: Resources,
): Promise<GetResponse> {
  refuseConflictingFields(request);
  const limitBytes = byteLimit(request.limit_bytes, limits.maxReplyBytes);
  const sessions = await open("read");
  signal?.throwIfAborted();
  try {
    return await read(request, sessions, limitBytes);
  } catch (error) {
    throw await withIdCandidates(error, sessions, request.session_id);
  }
}

async function read(
  request: GetRequest,
  sessions: SessionStore,
  limitBytes: number,
): Promise<GetResponse> {
  const { session_id: id, message_id: messageId, after_id, before_id, context_depth } = request;
  if (messageId === undefined) {
    const mode = request.response_mode ?? "conversational";
    const from = { afterId: after_id, beforeId: before_id, isFromEnd: request.from_end };
    return getSession(sessions, id, { mode, ...from, limitBytes });
  }
  const depth = context_depth === undefined ? {} : { context: context_depth };
  const options = { ...depth, afterPart: after_id, limitBytes };
  return cutContext(await getMessage(sessions, id, messageId, options), limitBytes);
}

/** @throws {WireError} for a field that does not apply to what is asked for. */
function refuseConflictingFields(request: GetRequest): void {
  const { message_id, context_depth, after_id, response_mode, before_id } = request;
  // A model may fill in what it does not ask for.
  const from_end = request.from_end || undefined;
  for (const [field, value] of Object.entries({ response_mode, from_end, before_id })) {
    if (message_id !== undefined && value !== undefined) {
      throw refused(field, "goes with a session, not with message_id");
    }
  }
  if (after_id !== undefined && (from_end !== undefined || before_id !== undefined)) {
    throw refused("after_id", "goes without from_end and before_id");
  }
  if (message_id === undefined && context_depth !== undefined) {
    throw refused("context_depth", "goes with message_id");
  }
}

function byteLimit(requested: number | undefined, max: number): number {
  if (requested === undefined) return Math.min(pageBytes, max);
  if (requested <= max) return requested;
  throw refused("limit_bytes", `is more than ${max}`);
}
