import {
  checkPart,
  isJsonObject,
  messageFromWire,
  type Part,
  parseJson,
  partsOf,
} from "@pond/canonical";
import {
  type PartSummary,
  type SessionStore,
  searchable,
  searchText,
  summarizePart,
} from "@pond/sessions";
import { and, type Filter, isNotNull, oneOf, type Row, rowId, type Table } from "@pond/substrate";
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
} from "./message.ts";
import { beginning } from "./snippet.ts";

/** How a message is by now. */
export type State = {
  /** Its newest text; undefined where that is the one first stored. */
  readonly text: string | undefined;
  readonly isRemoved: boolean;
};

const carrierColumns = ["session_id", "id", "revises", "revision", "digest", "options"];
const partKey = ["session_id", "message_id", "id"];
const partColumns = [...partKey, "type", "provenance", "variant_data", "data"];
const partsShown = 32;
const nameChars = 200;
const carriers = new WeakMap<SessionStore, { readonly rows: number; readonly hasAny: boolean }>();

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

/** Of these messages those that were revised or removed since, by key: how they are now. */
export async function loadStates(
  sessions: SessionStore,
  keys: readonly MessageKey[],
): Promise<Map<string, State>> {
  const states = new Map<string, State>();
  if (keys.length === 0 || !(await hasCarriers(sessions))) return states;
  const rows = await sessions.store
    .table("messages")
    .rows({ columns: carrierColumns, where: within(keys, "revises") });
  for (const row of rows.toSorted(byRevision)) {
    const key = keyText({ sessionId: String(row["session_id"]), id: String(row["revises"]) });
    const isRemoved = row["digest"] === null;
    const text = isRemoved ? undefined : textOfCarrier(row["options"]);
    // A carrier that only moves a message holds no text; the one before it still does.
    states.set(key, { text: text ?? states.get(key)?.text, isRemoved });
  }
  return states;
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

/** Most stores have none: asked once, until messages are added. */
async function hasCarriers(sessions: SessionStore): Promise<boolean> {
  const messages = sessions.store.table("messages");
  const rows = await messages.count();
  const known = carriers.get(sessions);
  if (known?.rows === rows) return known.hasAny;
  const hasAny = (await messages.count(isNotNull("revises"))) > 0;
  carriers.set(sessions, { rows, hasAny });
  return hasAny;
}

function byRevision(left: Row, right: Row): number {
  const order = Number(left["revision"]) - Number(right["revision"]);
  return order || (String(left["id"]) < String(right["id"]) ? -1 : 1);
}

function textOfCarrier(options: Row[string] | undefined): string | undefined {
  const wire = fieldOf(fieldOf(parseJson(String(options)), "pond"), "message");
  if (wire === undefined) return undefined;
  const message = messageFromWire(wire);
  return searchText(message, partsOf(message)) ?? "";
}

function fieldOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
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

/**
 * Rows of these messages. Pairs may cross, as what was not asked for is never looked up: to name
 * each pair takes the index twice as long.
 */
export function within(keys: readonly MessageKey[], column: string): Filter {
  return and(
    oneOf("session_id", [...new Set(keys.map(({ sessionId }) => sessionId))]),
    oneOf(column, [...new Set(keys.map(({ id }) => id))]),
  );
}
