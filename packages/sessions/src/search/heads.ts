import type { MessageHeader, Part } from "@pond/canonical";
import { and, type Cell, eq, isNull, oneOf, type Row, rowId, type Table } from "@pond/substrate";
import { hasBytes, inOrder, partFromRow } from "../rows/from-rows.ts";
import type { SessionStore } from "../session-store.ts";
import { searchable } from "../tables.ts";
import { headOf, type MessageHead, toHeadText } from "./message-head.ts";

/** A head made from stored rows. */
export type MadeHead = {
  readonly head: MessageHead;
  /** False if its parts were not read, or one of them could not be: that one is not shown. */
  readonly isWhole: boolean;
};

const headerColumns = ["session_id", "id", "role", "timestamp", rowId];
const partKey = ["session_id", "message_id", "id", "ordinal"];
const partColumns = [...partKey, "type", "provenance", "variant_data", rowId];

/**
 * Makes the heads of stored messages from their rows and those of their parts, by row.
 *
 * @param isWithParts - False for heads that show no parts, which are then not read.
 */
export async function makeHeads(
  { store }: SessionStore,
  rows: readonly bigint[],
  isWithParts: boolean = true,
): Promise<Map<bigint, MadeHead>> {
  if (rows.length === 0) return new Map();
  const where = oneOf(rowId, rows);
  const messages = await store.table("messages").rows({ columns: headerColumns, where });
  const users = messages.filter(({ role }) => role === "user");
  const parts = isWithParts ? await partsOf(store.table("parts"), users) : new Map();
  const made = new Map<bigint, MadeHead>();
  for (const row of messages) {
    const { session_id, id, role, timestamp } = row;
    const own: readonly (Part | undefined)[] = parts.get(keyOf(session_id, id)) ?? [];
    const read = own.flatMap((part) => part ?? []);
    const header = { id, role, timestamp } as MessageHeader;
    const head = headOf(String(session_id), header, read);
    const isWhole = isWithParts && read.length === own.length;
    made.set(BigInt(row[rowId] as bigint), { head, isWhole });
  }
  return made;
}

/** The parts of messages in order, by message; undefined for one that cannot be read. */
async function partsOf(
  table: Table,
  messages: readonly Row[],
): Promise<Map<string, readonly (Part | undefined)[]>> {
  const wanted = new Set(messages.map(({ session_id, id }) => keyOf(session_id, id)));
  // Sessions and messages may combine freely, because forks repeat ids: naming each pair takes the
  // index twice as long.
  const where = and(
    oneOf("session_id", [...new Set(messages.map((row) => String(row["session_id"])))]),
    oneOf("message_id", [...new Set(messages.map((row) => String(row["id"])))]),
  );
  const found = await table.rows({ columns: partColumns, where });
  const own = found.filter(({ session_id, message_id }) =>
    wanted.has(keyOf(session_id, message_id)),
  );
  const byMessage = new Map<string, (Part | undefined)[]>();
  for (const row of inOrder(own)) {
    const key = keyOf(row["session_id"], row["message_id"]);
    const part = await readPart(table, row);
    const others = byMessage.get(key);
    if (others) others.push(part);
    else byMessage.set(key, [part]);
  }
  return byMessage;
}

/** Undefined for a damaged row, which is reported when the store is verified. */
async function readPart(table: Table, row: Row): Promise<Part | undefined> {
  // Read one after the other, and only to count them: an image may have megabytes.
  const bytes = orUndefined(() => hasBytes(row)) ? await bytesOf(table, row) : null;
  return orUndefined(() => partFromRow({ ...row, options: "{}" }, bytes));
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

async function bytesOf(table: Table, row: Row): Promise<Cell> {
  const [read] = await table.rows({
    columns: ["data"],
    where: eq(rowId, BigInt(row[rowId] as bigint)),
  });
  return read?.["data"] ?? null;
}

// An update writes the column anew for every fragment that it touches, so it is large. What is read
// for a head is larger than the head.
const messagesPerUpdate = 32_768;
const messagesPerRead = 500;

/**
 * Gives searchable messages the head that they lack: those of a store from before there were heads,
 * and copied ones. Search finds them without it, too, only slower. A message with an unreadable
 * part gets none.
 *
 * @returns How many got one.
 */
export async function fillHeads(sessions: SessionStore, signal?: AbortSignal): Promise<number> {
  const { store } = sessions;
  const messages = store.table("messages");
  const where = and(searchable, isNull("head"));
  for (let filled = 0; ; ) {
    const rows = await messages.rows({ columns: [rowId], where, limit: messagesPerUpdate });
    const heads: MessageHead[] = [];
    for (let from = 0; from < rows.length; from += messagesPerRead) {
      signal?.throwIfAborted();
      const some = rows
        .slice(from, from + messagesPerRead)
        .map((row) => BigInt(row[rowId] as bigint));
      for (const { head, isWhole } of (await makeHeads(sessions, some)).values()) {
        if (isWhole) heads.push(head);
      }
    }
    const updated = await messages.update({
      session_id: heads.map(({ sessionId }) => sessionId),
      id: heads.map(({ id }) => id),
      head: heads.map(toHeadText),
    });
    await store.flush();
    filled += updated;
    if (rows.length < messagesPerUpdate || updated === 0) return filled;
  }
}

function keyOf(sessionId: Cell | undefined, messageId: Cell | undefined): string {
  return JSON.stringify([sessionId, messageId]);
}
