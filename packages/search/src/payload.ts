import { checkPart, isJsonObject, type Part, parseJson } from "@pond/canonical";
import { type PartSummary, type SessionStore, searchable, summarizePart } from "@pond/sessions";
import { and, oneOf, type Row, rowId, type Table } from "@pond/substrate";
import {
  type Head,
  headColumns,
  keyOf,
  keyText,
  type MessageKey,
  rowOf,
  type StoredText,
  textColumns,
  toHead,
  toStoredText,
  within,
} from "./message.ts";
import { beginning } from "./snippet.ts";

const partKey = ["session_id", "message_id", "id"];
const partColumns = [...partKey, "type", "provenance", "variant_data", "data"];
const partsShown = 32;
const nameChars = 200;

/** What found messages are besides their text, by row. */
export async function loadHeads(
  { store }: SessionStore,
  rows: readonly bigint[],
): Promise<Map<bigint, Head>> {
  if (rows.length === 0) return new Map();
  const found = await store
    .table("messages")
    .rows({ columns: headColumns, where: oneOf(rowId, rows) });
  return new Map(found.map((row) => [rowOf(row), toHead(row)]));
}

/** The texts of these messages, by key. */
export async function loadTexts(
  { store }: SessionStore,
  keys: readonly MessageKey[],
): Promise<Map<string, StoredText>> {
  if (keys.length === 0) return new Map();
  const where = and(within(keys, "id"), searchable);
  const rows = await store.table("messages").rows({ columns: textColumns, where });
  return new Map(rows.map((row) => [keyText(keyOf(row)), toStoredText(row)]));
}

/** What these messages hold, part by part, by key: of many parts the first. */
export async function loadPartSummaries(
  { store }: SessionStore,
  keys: readonly MessageKey[],
): Promise<Map<string, PartSummary[]>> {
  const summaries = new Map<string, PartSummary[]>();
  if (keys.length === 0) return summaries;
  const parts = store.table("parts");
  const rows = await parts.rows({ columns: partColumns, where: within(keys, "message_id") });
  for (const row of await inOrder(parts, rows)) {
    const key = keyText(messageOf(row));
    const own = summaries.get(key);
    if (own !== undefined && own.length >= partsShown) continue;
    const summary = shortened(summarizePart(toPart(row)));
    if (own) own.push(summary);
    else summaries.set(key, [summary]);
  }
  return summaries;
}

/** Most messages have one part. Places are read where they have more: a fifth of the time of all. */
async function inOrder(parts: Table, rows: readonly Row[]): Promise<readonly Row[]> {
  const byMessage = Map.groupBy(rows, (row) => keyText(messageOf(row)));
  const several = [...byMessage.values()].flatMap(([first, second]) =>
    first !== undefined && second !== undefined ? [messageOf(first)] : [],
  );
  if (several.length === 0) return rows;
  const columns = [...partKey, "ordinal"];
  const placed = await parts.rows({ columns, where: within(several, "message_id") });
  const places = new Map(placed.map((row) => [partText(row), Number(row["ordinal"])]));
  const placeOf = (row: Row): number => places.get(partText(row)) ?? 0;
  return rows.toSorted((left, right) => placeOf(left) - placeOf(right));
}

function messageOf(part: Row): MessageKey {
  return { sessionId: String(part["session_id"]), id: String(part["message_id"]) };
}

function partText(part: Row): string {
  return `${keyText(messageOf(part))}\n${part["id"]}`;
}

/** Names are of the source, and of any length. */
function shortened({ name, ...part }: PartSummary): PartSummary {
  return name === undefined ? part : { ...part, name: beginning(name, nameChars) };
}

function toPart(row: Row): Part {
  const { session_id, message_id, id, type, provenance, data } = row;
  const variant: unknown = parseJson(String(row["variant_data"]));
  return checkPart({
    ...(isJsonObject(variant) ? variant : {}),
    ...(data === null ? {} : { data: { type: "bytes", bytes: data } }),
    ...{ session_id, message_id, id, type, provenance, options: {} },
  });
}
