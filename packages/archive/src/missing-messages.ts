import { rowId } from "@pond/substrate";
import { type Key, keyOf, keyText } from "./key-order.ts";
import { keysOf, type MissingRows, missingRows } from "./missing-rows.ts";
import type { PlacedStore } from "./places.ts";
import { readRows } from "./read-rows.ts";
import { RowDigest } from "./row-digest.ts";

/** The key of the message that a part belongs to, as text. */
export function messageOf([sessionId = "", messageId = ""]: Key): string {
  return keyText([sessionId, messageId]);
}

/**
 * The messages of some sessions that another store lacks. One of which it has other parts, left of
 * an ingest that broke off, counts as differing: put together they would be a message that never
 * was.
 */
export async function missingMessages(
  from: PlacedStore,
  to: PlacedStore,
  sessionIds: ReadonlySet<string>,
): Promise<MissingRows> {
  const rows = await missingRows(from, to, "messages", sessionIds);
  const torn = await tornMessages(from, to, rows);
  if (torn.size === 0) return rows;
  return missingRows(from, to, "messages", sessionIds, (key) => torn.has(keyText(key)));
}

/** Messages among these of which the other store has parts that are not the ones to copy. */
async function tornMessages(
  from: PlacedStore,
  to: PlacedStore,
  { keys, sessionIds }: MissingRows,
): Promise<ReadonlySet<string>> {
  const left = await partsOf(to, sessionIds, keys);
  if (left.length === 0) return new Set();
  const own = await partsOf(from, sessionIds, new Set(left.map(({ message }) => message)));
  const digests = new Map(own.map(({ part, digest }) => [part, digest]));
  // A copy that broke off may have left some of the very parts.
  const others = left.filter(({ part, digest }) => digests.get(part) !== digest);
  return new Set(others.map(({ message }) => message));
}

/** A part by its key and that of its message, as texts. */
type DigestedPart = { readonly part: string; readonly message: string; readonly digest: string };

/** The parts of these messages that a store has. */
async function partsOf(
  placed: PlacedStore,
  sessionIds: ReadonlySet<string>,
  messages: ReadonlySet<string>,
): Promise<DigestedPart[]> {
  const table = placed.store.table("parts");
  const ids: bigint[] = [];
  for await (const { key, row } of keysOf(placed, "parts", sessionIds, [])) {
    if (messages.has(messageOf(key))) ids.push(BigInt(row[rowId] as bigint));
  }
  const { primaryKey, columns: declared } = table.declaration;
  const columns = Object.keys(declared).filter((name) => name !== "ingested_at");
  const parts: DigestedPart[] = [];
  for await (const row of readRows(table, columns, ids)) {
    const key = keyOf(row, primaryKey);
    const digest = new RowDigest(columns);
    digest.add(row);
    parts.push({ part: keyText(key), message: messageOf(key), digest: digest.digest() });
  }
  return parts;
}
