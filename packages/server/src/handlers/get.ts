import { type JsonObject, stringifyJson } from "@pond/canonical";
import { getMessage, getSession } from "@pond/sessions";
import { type GetRequest, type GetResponse, type ShownMessage, WireError } from "@pond/wire";
import type { Resources } from "../resources.ts";

const pageBytes = 64 * 1024;

/** A page of a session, or one message with its neighbours (spec 7.5). */
export async function get(
  request: GetRequest,
  { open, limits, signal }: Resources,
): Promise<GetResponse> {
  refuseMixed(request);
  const { session_id: id, message_id: messageId, after_id, context_depth } = request;
  const limitBytes = budget(request.limit_bytes, limits.maxReplyBytes);
  const sessions = await open("read");
  signal?.throwIfAborted();
  if (messageId === undefined) {
    const mode = request.response_mode ?? "conversational";
    return getSession(sessions, id, { mode, afterId: after_id, limitBytes });
  }
  const depth = context_depth === undefined ? {} : { context: context_depth };
  const options = { ...depth, afterPart: after_id, limitBytes };
  const view = await getMessage(sessions, id, messageId, options);
  const { before, after } = nearest(view.before, view.after, limitBytes);
  const isCut = before.length + after.length < view.before.length + view.after.length;
  return { ...view, before, after, ...(isCut && { context_cut: true as const }) };
}

/** @throws {WireError} for a field that says nothing of what is asked for. */
function refuseMixed({ message_id, response_mode, context_depth }: GetRequest): void {
  if (message_id !== undefined && response_mode !== undefined) {
    throw refused("response_mode", "goes with a session, not with message_id");
  }
  if (message_id === undefined && context_depth !== undefined) {
    throw refused("context_depth", "goes with message_id");
  }
}

function budget(asked: number | undefined, most: number): number {
  if (asked === undefined) return Math.min(pageBytes, most);
  if (asked <= most) return asked;
  throw refused("limit_bytes", `is more than ${most}`);
}

/** As many neighbours as the budget holds, the nearest first, so that they stay next to each other. */
function nearest(
  before: readonly ShownMessage[],
  after: readonly ShownMessage[],
  limitBytes: number,
): { readonly before: readonly ShownMessage[]; readonly after: readonly ShownMessage[] } {
  let bytes = 0;
  const kept = { before: 0, after: 0 };
  const isOpen = { before: true, after: true };
  for (let distance = 0; isOpen.before || isOpen.after; distance += 1) {
    for (const side of ["before", "after"] as const) {
      const message = side === "before" ? before.at(-1 - distance) : after[distance];
      if (message === undefined || !isOpen[side]) isOpen[side] = false;
      else {
        bytes += sizeOf(message);
        if (bytes > limitBytes) return cut(before, after, kept);
        kept[side] += 1;
      }
    }
  }
  return { before, after };
}

function cut(
  before: readonly ShownMessage[],
  after: readonly ShownMessage[],
  kept: { readonly before: number; readonly after: number },
) {
  return { before: before.slice(before.length - kept.before), after: after.slice(0, kept.after) };
}

function sizeOf(message: ShownMessage): number {
  return Buffer.byteLength(stringifyJson({ ...message } as JsonObject));
}

function refused(field: string, reason: string): WireError {
  return new WireError("validation_failed", `${field}: ${reason}`, { field, reason });
}
