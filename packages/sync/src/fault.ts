import { type FaultEvent, PondError, SourceFault } from "@pond/canonical";
import { isSystemError } from "@pond/canonical/adapter";
import { messageOf } from "./errors.ts";

/** A record that could not be read, as reports show it. */
export type Fault = {
  readonly adapter: string;
  /** The file and, after a colon, its line or whatever names the place in that source. */
  readonly location: string;
  readonly code: string;
  readonly message: string;
  /** True if nobody has to do anything about it: `isLeftover` of the reader's event. */
  readonly is_leftover?: true;
};

/** A message that cannot be embedded. */
export type EmbedFault = {
  readonly session_id: string;
  readonly message_id: string;
  readonly code: string;
  readonly message: string;
};

export function toEmbedFault(
  { sessionId, id }: { readonly sessionId: string; readonly id: string },
  error: unknown,
): EmbedFault {
  const code = PondError.is(error) ? error.code : "embedding_failed";
  return { session_id: sessionId, message_id: id, code, message: messageOf(error) };
}

/** One session may be garbage from end to end; this keeps reports readable. */
export const maxFaultsPerSession = 100;

// Readers use these for a whole source: they name no place in it, and terminals can open a path
// that stands alone.
const wholeSourceRecords: readonly (string | number)[] = ["file", "path", "session"];

export function toFault({ fault, isLeftover }: FaultEvent): Fault {
  const { adapter, uri, record, byteOffset, reason } = fault.details;
  const at = byteOffset === undefined ? "" : ` (byte ${byteOffset})`;
  const location = wholeSourceRecords.includes(record) ? uri : `${uri}:${record}`;
  const message = `${reason}${at}`;
  return { adapter, location, code: fault.code, message, ...(isLeftover && { is_leftover: true }) };
}

/**
 * What a reader threw, as a fault of the session it was reading: it costs the rest of that session.
 */
export function faultFromThrown(adapter: string, uri: string, error: unknown): FaultEvent {
  if (error instanceof SourceFault) return { kind: "fault", fault: error, records: 0 };
  const at = { adapter, uri, record: "session" };
  const fault = new SourceFault(at, messageOf(error), { cause: error });
  return { kind: "fault", fault, records: 0 };
}

/**
 * True if the machine is at fault rather than the record (no permission, an unplugged disk), or if
 * the reader says so. Such a session is read again next time, although its file looks the same.
 */
export function isTransient({ fault, isRetryable = false }: FaultEvent): boolean {
  return isRetryable || isSystemError(fault.cause);
}
