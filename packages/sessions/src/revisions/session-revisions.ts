import { hash } from "node:crypto";
import {
  isJsonObject,
  type JsonObject,
  type Session,
  sessionFromWire,
  sessionToWire,
  stringifyJson,
  ValidationError,
} from "@pond/canonical";
import type { Row } from "@pond/substrate";
import { damagedRow, objectIn } from "../rows/from-rows.ts";
import { bagOf } from "../rows/option-bag.ts";
import type { Labels } from "../rows/to-rows.ts";
import { compareRevisions } from "./order.ts";
import { type StoredMessage, sessionItself } from "./reconcile.ts";
import { carrierRow } from "./revisions.ts";

/** The present state of a session, from its row or its newest carrier. */
export type SessionState = {
  readonly digest: string;
  readonly revision: bigint;
  /** Id of the row that says so. */
  readonly rowId: string;
};

/**
 * What is known about a session besides its messages changes, too: a client moves its file, or
 * learns its parent late. Its row stays (`lance-append-only`); a carrier holds the present state.
 */
export function sessionState(stored: Session, rows: readonly StoredMessage[]): SessionState {
  let state: SessionState = { digest: sessionDigest(stored), revision: 0n, rowId: stored.id };
  for (const { id, revises, revision, digest } of rows) {
    const isNewer = compareRevisions({ revision, id }, { ...state, id: state.rowId }) > 0;
    if (revises === sessionItself && digest !== null && isNewer) {
      state = { digest, revision, rowId: id };
    }
  }
  return state;
}

/**
 * Hash of everything that a source says about a session, without its labels, which never change.
 */
export function sessionDigest(session: Session): string {
  return hash("sha256", stringifyJson(sessionFacts(session))).slice(0, 32);
}

/** The carrier of a session's present state. */
export function sessionRevisionRow(
  labels: Labels,
  previous: SessionState,
  session: Session,
  ingestedAt: bigint,
): Row {
  const { rowId, revision } = previous;
  return carrierRow(labels, { id: sessionItself, rowId, revision }, ingestedAt, {
    timestamp: session.created_at,
    ordinal: 0n,
    digest: sessionDigest(session),
    facts: { session: sessionFacts(session) },
  });
}

/**
 * The session as a carrier says it is; undefined if the row is no such carrier.
 *
 * @throws {DamagedRowError}
 */
export function sessionFromCarrier(stored: Session, row: Row): Session | undefined {
  const { session } = bagOf(objectIn(row, "options"), "pond");
  if (!isJsonObject(session)) return undefined;
  const { source_agent, project } = stored;
  // Pond's own facts do not come from the source, and stay as they were stored.
  const { pond } = stored.options;
  try {
    const { options, ...fields } = sessionFromWire({ ...session, source_agent, project });
    return { ...fields, options: { ...options, ...(pond !== undefined && { pond }) } };
  } catch (error) {
    if (error instanceof ValidationError) throw damagedRow(row, "options");
    throw error;
  }
}

/** The digest of the session that a carrier holds; undefined if the row is no such carrier. */
export function carriedSessionDigest(row: Row): string | undefined {
  // Its labels are not in the digest.
  const session = sessionFromCarrier({ ...row, options: {} } as unknown as Session, row);
  return session && sessionDigest(session);
}

/** In one order, so that equal sessions have equal texts. */
function sessionFacts(session: Session): JsonObject {
  const { id, parent_session_id, parent_message_id, created_at, options } = sessionToWire(session);
  const { pond: _pond, ...own } = options;
  return {
    id,
    ...(parent_session_id !== undefined && { parent_session_id }),
    ...(parent_message_id !== undefined && { parent_message_id }),
    created_at,
    options: own,
  };
}
