import { eq, type Store } from "@pond/substrate";
import { isDamage } from "../errors.ts";
import { sessionRevisionRow, sessionState } from "../revisions/session-revisions.ts";
import { storedMessages } from "../revisions/stored-messages.ts";
import { Columns } from "../rows/columns.ts";
import { sessionColumns, sessionFromRow } from "../rows/from-rows.ts";
import { nowOf } from "./stored-origin.ts";

/** A name of the session above another one, and the one that it has by now. */
export type Renamed = { readonly from: string; readonly to: string };

/** Says of a stored session that it hangs below another name, where it still hangs below that. */
export async function hangBelow(
  store: Store,
  sessionId: string,
  { from, to }: Renamed,
  ingestedAt: bigint,
): Promise<void> {
  const where = eq("id", sessionId);
  const [row] = await store.table("sessions").rows({ columns: sessionColumns, where });
  if (row === undefined) return;
  try {
    const session = sessionFromRow(row);
    const { id, source_agent: sourceAgent, project } = session;
    const state = sessionState(session, (await storedMessages(store, [id])).get(id) ?? []);
    const now = await nowOf(store, { session, state });
    if (now.parent_session_id !== from) return;
    const carriers = new Columns();
    const hung = { ...now, parent_session_id: to as typeof id };
    const labels = { sessionId: id, sourceAgent, project };
    carriers.push(sessionRevisionRow(labels, state, hung, ingestedAt));
    await store.table("messages").insert(carriers.batch());
  } catch (error) {
    // What cannot be read is no reason to stop.
    if (!isDamage(error)) throw error;
  }
}
