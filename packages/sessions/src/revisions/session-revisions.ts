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

/** What a session row says now: by itself, or by its newest carrier. */
export type SessionState = {
  readonly digest: string;
  readonly revision: bigint;
  /** Id of the row that says so. */
  readonly rowId: string;
};

/**
 * What is known of a session beside its messages changes too: a client moves its file, or learns
 * its parent late. Its row stays (`lance-append-only`); a carrier holds what is said now.
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

/** Hash of all a source says of a session; its labels, which never change, are not in it. */
export function sessionDigest(session: Session): string {
  return hash("sha256", stringifyJson(said(session))).slice(0, 32);
}

/** The carrier of what is said of a session now. */
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
    facts: { session: said(session) },
  });
}

/**
 * The session as a carrier says it is; undefined where the row is no such carrier.
 *
 * @throws {DamagedRowError}
 */
export function sessionFromCarrier(stored: Session, row: Row): Session | undefined {
  const { session } = bagOf(objectIn(row, "options"), "pond");
  if (!isJsonObject(session)) return undefined;
  const { source_agent, project } = stored;
  // What is pond's own is not said by the source, and stays as it was stored.
  const { pond } = stored.options;
  try {
    const { options, ...fields } = sessionFromWire({ ...session, source_agent, project });
    return { ...fields, options: { ...options, ...(pond !== undefined && { pond }) } };
  } catch (error) {
    if (error instanceof ValidationError) throw damagedRow(row, "options");
    throw error;
  }
}

/** The digest of the session that a carrier holds; undefined where the row is no such carrier. */
export function carriedSessionDigest(row: Row): string | undefined {
  // Of its labels nothing is in the digest.
  const session = sessionFromCarrier({ ...row, options: {} } as unknown as Session, row);
  return session && sessionDigest(session);
}

/** In one order, so that equal sessions have equal texts. */
function said(session: Session): JsonObject {
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
