import {
  type JsonObject,
  type JsonValue,
  type Message,
  partsOf,
  stringifyJson,
} from "@pond/canonical";
import type { Cell, Row, Store } from "@pond/substrate";
import { unlessDamaged } from "../errors.ts";
import { loadPlaces } from "../read/outline.ts";
import { carriedSessionDigest } from "../revisions/session-revisions.ts";
import { toIndexed } from "../search/indexed-text.ts";
import { pieceOfStored, type WindowPiece, windowPiece, windowsOf } from "../search/windows.ts";
import {
  inOrder,
  jsonIn,
  messageFromCarrier,
  messageFromRow,
  objectIn,
  partFromRow,
} from "./from-rows.ts";
import { tornDigest } from "./message-digest.ts";
import { bagOf } from "./option-bag.ts";
import { type PreparedMessage, prepareMessage } from "./prepare.ts";
import { type Labels, windowRow } from "./to-rows.ts";

/** Replaces something in texts; equal texts become equal texts. */
export type TextMap = {
  /** One text. */
  text(text: string): string;
  /** Replaces every text and key in a value. */
  json<Value extends JsonValue>(value: Value): Value;
};

/** The rows of a message, replaced. */
export type RedactedMessage = {
  readonly message: Row;
  readonly parts: readonly Row[];
  /** What windows are made of; undefined if it holds no message. */
  readonly piece: WindowPiece | undefined;
};

/** A row of `sessions` with its texts replaced; its ids stay. */
export function redactSessionRow(row: Row, map: TextMap): Row {
  return {
    ...row,
    project: map.text(String(row["project"])),
    options: jsonCell(row, "options", map),
  };
}

/** A row of `parts` with its texts replaced, also in bytes that are text; the ids in it stay. */
export function redactPartRow(row: Row, map: TextMap): Row {
  const variant = objectIn(row, "variant_data");
  const mapped = map.json(variant);
  const ids = Object.fromEntries(
    variantIds.filter((name) => Object.hasOwn(variant, name)).map((name) => [name, variant[name]]),
  );
  return {
    ...row,
    variant_data: stringifyJson({ ...mapped, ...ids } as JsonObject),
    data: bytesCell(row["data"] ?? null, map),
    options: jsonCell(row, "options", map),
  };
}

const variantIds = ["call_id", "approval_id", "tool_call_id"];

/**
 * A row of `messages` and those of its parts with their texts replaced, and everything that follows
 * from them made again: the digest, and the text that search finds it by. A vector, which is made
 * from that text, is left out if the text changed.
 *
 * @param project - Of its session, already replaced.
 * @param movedDigest - The present digest of the value that a carrier moves.
 */
export function redactMessageRows(
  stored: Row,
  storedParts: readonly Row[],
  map: TextMap,
  project: string,
  movedDigest: (row: Row) => string | undefined,
): RedactedMessage {
  const parts = storedParts.map((part) => redactPartRow(part, map));
  // In other messages it is not content, whatever is there.
  const content = stored["role"] === "system" ? jsonCell(stored, "content", map) : null;
  const message: Row = { ...stored, project, content, options: jsonCell(stored, "options", map) };
  // If the rows of one cannot be read, each is checked by itself.
  const value = unlessDamaged(() => messageIn(message, parts));
  const prepared = value && prepareMessage(value, partsOf(value));
  const piece = prepared && windowPiece(prepared);
  const isOwn = stored["revises"] === null;
  const isSame =
    message["content"] === stored["content"] &&
    message["options"] === stored["options"] &&
    parts.every((part, at) => isSamePart(part, storedParts[at]));
  // The stored text may hold what is no longer in the parts, so it is made anew from what is there.
  if (isOwn) return { message: withText(message, prepared, isSame), parts, piece };
  if (stored["digest"] === null || (isSame && value !== undefined)) {
    return { message, parts, piece };
  }
  const digest = prepared?.digest ?? carriedSessionDigest(message) ?? movedDigest(stored);
  const carrier = digest === undefined ? message : withDigest(message, digest);
  return { message: carrier, parts, piece };
}

function withText(row: Row, prepared: PreparedMessage | undefined, isSame: boolean): Row {
  const searchText = prepared?.searchText ?? null;
  const text = searchText === null ? null : toIndexed(searchText);
  // What is as it was stored keeps its digest, even one that tells of lost parts; a message whose
  // parts belong to several states has the digest of nothing.
  const isKept = isSame || prepared === undefined || row["digest"] === tornDigest;
  return {
    ...row,
    search_text: text,
    is_searchable: text === null ? 0n : 1n,
    digest: isKept ? (row["digest"] ?? null) : prepared.digest,
    ...(text !== row["search_text"] && { vector: null, embedding_model: null }),
  };
}

function withDigest(row: Row, digest: string): Row {
  const options = objectIn(row, "options");
  const pond = { ...bagOf(options, "pond"), digest };
  return { ...row, digest, options: stringifyJson({ ...options, pond }) };
}

/** The message in a row: itself, or a later state of another. */
function messageIn(row: Row, parts: readonly Row[]): Message | undefined {
  if (row["revises"] !== null) return messageFromCarrier(row);
  return messageFromRow(
    row,
    inOrder(parts).map((part) => partFromRow(part, part["data"] ?? null)),
  );
}

/** True for a carrier that only says where a message is now, not what it is. */
export function isMove(row: Row): boolean {
  return row["digest"] !== null && bagOf(objectIn(row, "options"), "pond")["moved"] === true;
}

/**
 * What windows are made of in a row of `messages` and those of its parts, as they are.
 *
 * @returns Undefined if it holds no message.
 */
export function windowPieceOf(row: Row, parts: readonly Row[]): WindowPiece | undefined {
  const value = unlessDamaged(() => messageIn(row, parts));
  return value && pieceOfStored(value);
}

/**
 * The rows of `windows` for a session, from some stored rows of `messages`.
 *
 * @param pieces - By the id of each of these rows; undefined if a row holds no message.
 */
export async function windowRowsOf(
  store: Store,
  labels: Labels,
  pieces: ReadonlyMap<string, WindowPiece | undefined>,
): Promise<Row[]> {
  const places = await loadPlaces(store, labels.sessionId, (id) => pieces.has(id));
  const windows = windowsOf(
    places.flatMap(({ id, carrierId }) => pieces.get(carrierId ?? id) ?? []),
  );
  return windows.map((window) => windowRow(labels, window));
}

function jsonCell(row: Row, column: string, map: TextMap): string {
  return stringifyJson(map.json(jsonIn(row, column)));
}

function bytesCell(cell: Cell, map: TextMap): Cell {
  if (!(cell instanceof Uint8Array)) return cell;
  const text = textIn(cell);
  const mapped = text === undefined ? text : map.text(text);
  return mapped === text || mapped === undefined ? cell : Buffer.from(mapped);
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isSamePart(part: Row, stored: Row | undefined): boolean {
  return ["variant_data", "data", "options"].every((column) => part[column] === stored?.[column]);
}
