import type { Part } from "@pond/canonical";
import { and, eq, type Filter, type Row, type Store } from "@pond/substrate";
import { hasBytes, inOrder, partColumns, partFromRow } from "../rows/from-rows.ts";
import { ReadBudget, rowsWithin } from "./read-budget.ts";
import { withinSession } from "./within-session.ts";

/** The parts of a message, in order, and their rows. */
export type MessageParts = { readonly parts: Part[]; readonly rows: Row[] };
export const noParts: MessageParts = { parts: [], rows: [] };

/** Parts by message. */
export async function loadParts(
  store: Store,
  sessionId: string,
  messageIds: readonly string[],
  budget?: ReadBudget,
): Promise<Map<string, MessageParts>> {
  const where = withinSession(sessionId, "message_id", messageIds);
  const wanted = new Set(messageIds);
  const isWanted = (row: Row): boolean => wanted.has(String(row["message_id"]));
  return partsByMessage(await rowsOfParts(store, where, isWanted, budget));
}

/** Rows of parts, with the bytes of files. Those that are not wanted may be damaged. */
export async function rowsOfParts(
  store: Store,
  where: Filter,
  isWanted: (row: Row) => boolean,
  budget: ReadBudget = new ReadBudget(),
): Promise<Row[]> {
  const table = store.table("parts");
  const found = await rowsWithin(table, { columns: partColumns, where }, budget);
  const rows = found.filter(isWanted);
  if (!rows.some(hasBytes)) return rows;
  const columns = ["session_id", "message_id", "id", "data"];
  const ofFiles = { columns, where: and(where, eq("type", "file")) };
  const files = await rowsWithin(table, ofFiles, budget);
  const bytes = new Map(files.map((row) => [partKey(row), row["data"] ?? null]));
  return rows.map((row) => {
    const data = bytes.get(partKey(row)) ?? null;
    return data === null ? row : { ...row, data };
  });
}

export function partsByMessage(rows: readonly Row[]): Map<string, MessageParts> {
  const byMessage = new Map<string, MessageParts>();
  for (const row of inOrder(rows)) {
    const id = String(row["message_id"]);
    const { parts, rows } = byMessage.get(id) ?? { parts: [], rows: [] };
    parts.push(partFromRow(row, row["data"] ?? null));
    rows.push(row);
    byMessage.set(id, { parts, rows });
  }
  return byMessage;
}

function partKey(row: Row): string {
  return JSON.stringify([row["session_id"], row["message_id"], row["id"]]);
}
