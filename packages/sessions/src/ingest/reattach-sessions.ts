import type { SessionId } from "@pond/canonical";
import { oneOf, type Row, type Store } from "@pond/substrate";
import { nothingIfDamaged } from "../errors.ts";
import { sessionRevisionRow, sessionState } from "../revisions/session-revisions.ts";
import { type FoundMessage, storedMessages } from "../revisions/stored-messages.ts";
import { Columns } from "../rows/columns.ts";
import { sessionColumns, sessionFromRow } from "../rows/from-rows.ts";
import { currentSession } from "./stored-origin.ts";

/** A session, a former name of its parent, and the name that the parent has now. */
export type Reattachment = {
  readonly sessionId: string;
  readonly from: string;
  readonly to: string;
};

/** For how many sessions the messages are held at once. */
const sessionsAtOnce = 50;

/**
 * Records that stored sessions belong below another name, if they still belong below the former
 * one. Dated like what was said of them: a name is nothing new, and must hide no later state of
 * another store.
 */
export async function reattachSessions(
  store: Store,
  reattachments: readonly Reattachment[],
): Promise<void> {
  for (let from = 0; from < reattachments.length; from += sessionsAtOnce) {
    await reattachSome(store, reattachments.slice(from, from + sessionsAtOnce));
  }
  if (reattachments.length > 0) await store.flush();
}

async function reattachSome(store: Store, reattachments: readonly Reattachment[]): Promise<void> {
  const named = new Map(reattachments.map((each) => [each.sessionId, each]));
  const ids = [...named.keys()];
  const columns = [...sessionColumns, "ingested_at"];
  const rows = await store.table("sessions").rows({ columns, where: oneOf("id", ids) });
  const messages = await storedMessages(store, ids);
  const carriers = new Columns();
  for (const row of rows) {
    const id = String(row["id"]);
    const [each, own] = [named.get(id), messages.get(id) ?? []];
    // Something unreadable is no reason to stop.
    const carrier = each && (await carrierOf(store, each, row, own).catch(nothingIfDamaged));
    if (carrier) carriers.push(carrier);
  }
  if (carriers.length > 0) await store.table("messages").insert(carriers.batch());
}

/**
 * The carrier that attaches a session to the other name; undefined if it is attached elsewhere by
 * now.
 */
async function carrierOf(
  store: Store,
  { from, to }: Reattachment,
  row: Row,
  messages: readonly FoundMessage[],
): Promise<Row | undefined> {
  const session = sessionFromRow(row);
  const { id, source_agent: sourceAgent, project } = session;
  const state = sessionState(session, messages);
  const now = await currentSession(store, { session, state });
  if (now.parent_session_id !== from) return undefined;
  const below = { ...now, parent_session_id: to as SessionId };
  const stateRow = messages.find((message) => message.id === state.rowId);
  const ingestedAt = stateRow?.ingestedAt ?? BigInt(row["ingested_at"] as bigint);
  return sessionRevisionRow({ sessionId: id, sourceAgent, project }, state, below, ingestedAt);
}
