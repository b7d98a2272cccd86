import { oneOf, type Store } from "@pond/substrate";
import { isDamage } from "../errors.ts";
import { sessionRevisionRow, sessionState } from "../revisions/session-revisions.ts";
import { storedMessages } from "../revisions/stored-messages.ts";
import { Columns } from "../rows/columns.ts";
import { sessionColumns, sessionFromRow } from "../rows/from-rows.ts";
import { nowOf } from "./stored-origin.ts";

/** A session, a name of the one above it, and the name that this has by now. */
export type Hung = { readonly sessionId: string; readonly from: string; readonly to: string };

/** Of how many sessions the messages are held at once. */
const atOnce = 50;

/**
 * Says of stored sessions that they hang below another name, where they still hang below the former.
 * Dated as what was said of them: a name is nothing new, and hides no later state of another store.
 */
export async function hangBelow(store: Store, hung: readonly Hung[]): Promise<void> {
  for (let from = 0; from < hung.length; from += atOnce) {
    await hangSome(store, hung.slice(from, from + atOnce));
  }
  if (hung.length > 0) await store.flush();
}

async function hangSome(store: Store, hung: readonly Hung[]): Promise<void> {
  const named = new Map(hung.map((each) => [each.sessionId, each]));
  const ids = [...named.keys()];
  const where = oneOf("id", ids);
  const carriers = new Columns();
  await skippingDamage(async () => {
    const columns = [...sessionColumns, "ingested_at"];
    const rows = await store.table("sessions").rows({ columns, where });
    const messages = await storedMessages(store, ids);
    for (const row of rows) {
      await skippingDamage(async () => {
        const session = sessionFromRow(row);
        const { id, source_agent: sourceAgent, project } = session;
        const own = messages.get(id) ?? [];
        const state = sessionState(session, own);
        const now = await nowOf(store, { session, state });
        const { from, to } = named.get(id) ?? {};
        if (to === undefined || now.parent_session_id !== from) return;
        const below = { ...now, parent_session_id: to as typeof id };
        const stated = own.find((message) => message.id === state.rowId);
        const ingestedAt = stated?.ingestedAt ?? BigInt(row["ingested_at"] as bigint);
        const labels = { sessionId: id, sourceAgent, project };
        carriers.push(sessionRevisionRow(labels, state, below, ingestedAt));
      });
    }
  });
  if (carriers.length > 0) await store.table("messages").insert(carriers.batch());
}

/** What cannot be read is no reason to stop. */
async function skippingDamage(read: () => Promise<void>): Promise<void> {
  await read().catch((error: unknown) => {
    if (!isDamage(error)) throw error;
  });
}
