import { type MessageHeader, partsOf, stringifyJson } from "@pond/canonical";
import type { Row } from "@pond/substrate";
import { sessionItself } from "../revisions/reconcile.ts";
import { carriedSessionDigest } from "../revisions/session-revisions.ts";
import { fromIndexed, indexedPart } from "../search/indexed-text.ts";
import { headOf, toHeadText } from "../search/message-head.ts";
import { searchText } from "../search/search-text.ts";
import {
  inOrder,
  messageColumns,
  messageFromCarrier,
  objectIn,
  partColumns,
  partFromRow,
} from "./from-rows.ts";
import { messageDigest, tornDigest } from "./message-digest.ts";
import { bagOf } from "./option-bag.ts";
import { type PreparedPart, prepareMessage } from "./prepare.ts";

/** The columns of a message's row that are needed to tell whether it is whole, */
export const checkedColumns: readonly string[] = [...messageColumns, "digest", "revision"];
/** and those of its parts' rows. */
export const checkedPartColumns: readonly string[] = [...partColumns, "data"];

/** The parts of a message in order. Anything under the id of a system message is left over. */
export function ownParts(message: Row, stored: readonly Row[]): readonly Row[] {
  return message["role"] === "system" ? [] : inOrder(stored);
}

/**
 * True if a message and its parts give its digest. The digest covers neither its session nor its
 * place in it.
 */
export function isMessageWhole(row: Row, stored: readonly Row[]): boolean {
  const parts = ownParts(row, stored);
  if (parts.some((part, at) => Number(part["ordinal"]) !== at)) return false;
  if (Number(row["revision"]) !== 0) return false;
  const content = row["content"];
  const message = {
    id: String(row["id"]),
    role: String(row["role"]),
    timestamp: BigInt(row["timestamp"] as bigint),
    content: typeof content === "string" ? content : null,
    options: String(row["options"]),
  };
  return messageDigest(message, parts.map(toPrepared)) === row["digest"];
}

/**
 * True unless the digest of a message that is not a carrier shows that the message, or its existing
 * parts, are not what was written. A message whose parts belong to several states says so itself,
 * and has a carrier.
 */
export function isAsWritten(row: Row, parts: readonly Row[]): boolean {
  return row["digest"] === tornDigest || isMessageWhole(row, parts);
}

function toPrepared(row: Row): PreparedPart {
  const data = row["data"];
  return {
    id: String(row["id"]),
    type: String(row["type"]),
    provenance: String(row["provenance"]),
    variantData: String(row["variant_data"]),
    data: data instanceof Uint8Array ? data : null,
    options: String(row["options"]),
  };
}

/**
 * True if a carrier is as it was made. It says everything about itself twice, and holds the value
 * of its digest unless it only moves.
 */
export function isCarrierWhole(row: Row): boolean {
  const { digest, revises } = row;
  const facts = bagOf(objectIn(row, "options"), "pond");
  if (facts["digest"] !== digest || facts["revision"] !== Number(row["revision"])) return false;
  if ((facts["revises"] ?? facts["removes"] ?? sessionItself) !== revises) return false;
  if (row["role"] !== "system" || row["content"] !== stringifyJson("")) return false;
  if (row["search_text"] !== null || Number(row["is_searchable"]) !== 0) return false;
  if (row["head"] !== null) return false;
  const message = messageFromCarrier(row);
  if (message) return prepareMessage(message, partsOf(message)).digest === digest;
  const carried = carriedSessionDigest(row);
  return carried === undefined || carried === digest;
}

/**
 * True if search finds a whole message by its own text. Compares only the text: what follows it for
 * the index has another form.
 */
export function isTextOf(row: Row, parts: readonly Row[]): boolean {
  const searched = parts.filter(
    ({ provenance, type }) =>
      provenance === "conversational" && (type === "text" || type === "file"),
  );
  const header = { role: row["role"] } as MessageHeader;
  const text = searchText(
    header,
    searched.map((part) => partFromRow(part, part["data"] ?? null)),
  );
  const stored = row["search_text"];
  const isSearchable = BigInt(row["is_searchable"] as bigint) === 1n;
  if (typeof stored !== "string") return text === null && !isSearchable;
  if (text === null || !isSearchable) return false;
  // Earlier versions stored all of a long one.
  const found = fromIndexed(stored);
  return found === indexedPart(text) || found === text;
}

/** True if search shows a whole message as itself, or has nothing yet to show it by. */
export function isHeadOf(row: Row, parts: readonly Row[]): boolean {
  if (row["head"] === null) return true;
  if (row["search_text"] === null) return false;
  const { id, role, timestamp } = row;
  const header = { id, role, timestamp } as MessageHeader;
  const own = parts.map((part) => partFromRow(part, part["data"] ?? null));
  return row["head"] === toHeadText(headOf(String(row["session_id"]), header, own));
}
