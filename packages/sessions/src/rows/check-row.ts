import { checkMessage, checkSession } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import {
  carriedMessage,
  damagedRow,
  jsonIn,
  messageFromRow,
  partFromRow,
  sessionColumns,
  sessionFromRow,
} from "./from-rows.ts";

const checks: Readonly<Record<string, (row: Row) => void>> = {
  sessions: checkSessionRow,
  messages: checkMessageRow,
  parts: checkPartRow,
  windows: checkWindowRow,
};

/**
 * Checks that a whole row from elsewhere is one that an ingest could have written, because what is
 * stored is trusted from then on, and stays.
 *
 * @throws {ValidationError} if it breaks the canonical model.
 * @throws {DamagedRowError} if it is not a row of the table.
 */
export function checkRow(table: string, row: Row): void {
  const check = Object.hasOwn(checks, table) ? checks[table] : undefined;
  if (check === undefined) throw new TypeError(`no table "${table}" holds sessions`);
  check(row);
}

function checkSessionRow(row: Row): void {
  const fields = Object.fromEntries(sessionColumns.map((name) => [name, row[name] ?? null]));
  checkSession(sessionFromRow(fields));
}

function checkMessageRow(row: Row): void {
  const message = messageFromRow(row, []);
  checkMessage(message);
  carriedMessage(row, message.options);
  const isSearchable = row["search_text"] === null ? 0n : 1n;
  if (row["is_searchable"] !== isSearchable) throw damagedRow(row, "is_searchable");
}

function checkPartRow(row: Row): void {
  partFromRow(row, row["data"] ?? null);
}

function checkWindowRow(row: Row): void {
  const ids = jsonIn(row, "message_ids");
  const isList = Array.isArray(ids) && ids.every((id) => typeof id === "string");
  if (!isList) throw damagedRow(row, "message_ids");
}
