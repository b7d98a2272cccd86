import type { MessageHeader, Part } from "@pond/canonical";
import { and, type Cell, isNull, oneOf, type Row, rowId } from "@pond/substrate";
import { inOrder, partFromRow } from "../rows/from-rows.ts";
import type { SessionStore } from "../session-store.ts";
import { searchable } from "../tables.ts";
import { headOf, type MessageHead, toHeadText } from "./message-head.ts";

const headerColumns = ["session_id", "id", "role", "timestamp", rowId];
const partKey = ["session_id", "message_id", "id", "ordinal"];
const partColumns = [...partKey, "type", "provenance", "variant_data", "data"];

/** The heads of stored messages, made of their rows and those of their parts, by row. */
export async function makeHeads(
  { store }: SessionStore,
  rows: readonly bigint[],
): Promise<Map<bigint, MessageHead>> {
  if (rows.length === 0) return new Map();
  const where = oneOf(rowId, rows);
  const messages = await store.table("messages").rows({ columns: headerColumns, where });
  const users = messages.filter(({ role }) => role === "user");
  // Pairs may cross: to name each takes the index twice as long.
  const ofUsers = and(
    oneOf("session_id", [...new Set(users.map((row) => String(row["session_id"])))]),
    oneOf("message_id", [...new Set(users.map((row) => String(row["id"])))]),
  );
  const parts = await store.table("parts").rows({ columns: partColumns, where: ofUsers });
  const partsOf = Map.groupBy(parts, (row) => keyOf(row["session_id"], row["message_id"]));
  return new Map(
    messages.map((row) => {
      const own = partsOf.get(keyOf(row["session_id"], row["id"])) ?? [];
      const head = headOf(String(row["session_id"]), toHeader(row), inOrder(own).map(toPart));
      return [BigInt(row[rowId] as bigint), head];
    }),
  );
}

// One update writes the column anew for every fragment it touches; what is read for it is more.
const perUpdate = 32_768;
const perRead = 500;

/**
 * Gives searchable messages their head that have none: those of a store that was made before there
 * were heads, and copied ones. Search finds them as well without, only slower.
 *
 * @returns How many.
 */
export async function fillHeads(sessions: SessionStore, signal?: AbortSignal): Promise<number> {
  const { store } = sessions;
  const messages = store.table("messages");
  const where = and(searchable, isNull("head"));
  for (let filled = 0; ; ) {
    const rows = await messages.rows({ columns: [rowId], where, limit: perUpdate });
    const heads: MessageHead[] = [];
    for (let from = 0; from < rows.length; from += perRead) {
      signal?.throwIfAborted();
      const some = rows.slice(from, from + perRead).map((row) => BigInt(row[rowId] as bigint));
      heads.push(...(await makeHeads(sessions, some)).values());
    }
    const updated = await messages.update({
      session_id: heads.map(({ sessionId }) => sessionId),
      id: heads.map(({ id }) => id),
      head: heads.map(toHeadText),
    });
    filled += updated;
    if (updated === 0) return filled;
    await store.flush();
  }
}

function toHeader({ id, role, timestamp }: Row): Pick<MessageHeader, "id" | "role" | "timestamp"> {
  return { id, role, timestamp } as Pick<MessageHeader, "id" | "role" | "timestamp">;
}

function toPart(row: Row): Part {
  return partFromRow({ ...row, options: "{}" }, row["data"] ?? null);
}

function keyOf(sessionId: Cell | undefined, messageId: Cell | undefined): string {
  return `${sessionId}\n${messageId}`;
}
