import type { Session, SessionEvent } from "@pond/canonical";
import { sourceOf } from "@pond/canonical/adapter";
import type { Store } from "@pond/substrate";
import { nothingIfDamaged } from "../errors.ts";
import { loadRevised } from "../read/outline.ts";
import type { SessionState } from "../revisions/session-revisions.ts";

/** A session as it was first stored, and which of its rows holds its present state. */
export type SessionWithState = { readonly session: Session; readonly state: SessionState };

type Read = {
  readonly session: Session;
  readonly unresolved: SessionEvent["unresolved"] | undefined;
};

/**
 * A session as its source says, except for what the source could not look up about its origin: if a
 * file that told it is gone, what is stored stays (`session-durable-copy`).
 */
export async function withStoredOrigin(
  store: Store,
  { session, unresolved }: Read,
  stored: SessionWithState,
): Promise<Session> {
  if (unresolved === undefined) return session;
  const known = await currentSession(store, stored);
  const { parent_session_id: parentId, parent_message_id: cutPoint } = known;
  const isOther = session.parent_session_id !== parentId;
  if (parentId === undefined || (unresolved === "cut_point" && isOther)) return session;
  const origin = { parent_session_id: parentId, ...(cutPoint && { parent_message_id: cutPoint }) };
  const { relation } = sourceOf(known);
  // It goes with the parent: without it, a fork without a cut-point would be a sub-agent.
  const source = { ...sourceOf(session), ...(relation !== undefined && { relation }) };
  return { ...session, ...origin, options: { ...session.options, source } };
}

/** The present state of a session. */
export async function currentSession(
  store: Store,
  { session, state }: SessionWithState,
): Promise<Session> {
  if (state.revision === 0n) return session;
  // Nobody knows what a damaged carrier says, and it keeps nothing from being stored.
  return (await loadRevised(store, session, state.rowId).catch(nothingIfDamaged)) ?? session;
}
