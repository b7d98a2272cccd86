import { and, gte, oneOf, type Store } from "@pond/substrate";
import type { SessionStore } from "../session-store.ts";

/** The row of a session is stored after its messages: for so long an ingest may be going on. */
const maxIngestMs = 3_600_000;

/** Since when, in microseconds, stored messages may belong to a session whose row is on its way. */
export function ingestingSince(): number {
  return (Date.now() - maxIngestMs) * 1000;
}

/**
 * Ids of the sessions that have messages but no row of their own, so that nothing shows them: the
 * row was lost, or an ingest broke off. An ingest that may be going on is no loss.
 */
export async function idsWithoutSessionRow({ store }: SessionStore): Promise<string[]> {
  const ids = new Set<string>();
  for await (const rows of store.table("messages").scan({ columns: ["session_id"] })) {
    for (const row of rows) ids.add(String(row["session_id"]));
  }
  for await (const rows of store.table("sessions").scan({ columns: ["id"] })) {
    for (const row of rows) ids.delete(String(row["id"]));
  }
  return stillWithoutSessionRow(store, [...ids]);
}

/** The sessions, out of some without a row, that still have none and whose messages are not new. */
export async function stillWithoutSessionRow(
  store: Store,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return [];
  // Read after the messages, because it comes after them.
  await store.table("sessions").refresh();
  const since = { micros: BigInt(ingestingSince()) };
  const [there, fresh] = await Promise.all([
    store.table("sessions").rows({ columns: ["id"], where: oneOf("id", ids) }),
    store.table("messages").rows({
      columns: ["session_id"],
      where: and(oneOf("session_id", ids), gte("ingested_at", since)),
    }),
  ]);
  const others = new Set([
    ...there.map(({ id }) => String(id)),
    ...fresh.map(({ session_id }) => String(session_id)),
  ]);
  return ids.filter((id) => !others.has(id));
}
