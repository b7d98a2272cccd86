import {
  checkPart,
  isJsonObject,
  messageFromWire,
  type Part,
  parseJson,
  partsOf,
} from "@pond/canonical";
import { type PartSummary, type SessionStore, searchText, summarizePart } from "@pond/sessions";
import { and, type Filter, oneOf, type Row } from "@pond/substrate";

/** A message as an answer shows it. */
export type ShownText = {
  readonly role: string;
  readonly timestamp: bigint;
  /** The newest value of its searched text. */
  readonly text: string;
  readonly isRevised: boolean;
  readonly isRemoved: boolean;
};

/** Names a message: its id is unique within its session only. */
export type MessageKey = { readonly sessionId: string; readonly id: string };

const textColumns = ["session_id", "id", "role", "timestamp", "search_text"];
const carrierColumns = ["session_id", "id", "revises", "revision", "digest", "options"];
const partColumns = ["session_id", "message_id", "id", "type", "provenance", "variant_data"];

/** One key as text, for maps. */
export function keyText({ sessionId, id }: MessageKey): string {
  return JSON.stringify([sessionId, id]);
}

/** The texts of these messages that are in scope, by key: two reads, however many. */
export async function loadTexts(
  { store }: SessionStore,
  keys: readonly MessageKey[],
  where: Filter | undefined,
): Promise<Map<string, ShownText>> {
  if (keys.length === 0) return new Map();
  const messages = store.table("messages");
  const [rows, carriers] = await Promise.all([
    messages.rows({ columns: textColumns, where: within(keys, "id", where) }),
    messages.rows({ columns: carrierColumns, where: within(keys, "revises") }),
  ]);
  const newest = newestStates(carriers);
  const texts = new Map<string, ShownText>();
  for (const row of rows) {
    if (row["search_text"] === null) continue;
    const key = keyText({ sessionId: String(row["session_id"]), id: String(row["id"]) });
    const state = newest.get(key);
    const timestamp = row["timestamp"];
    texts.set(key, {
      role: String(row["role"]),
      timestamp: typeof timestamp === "bigint" ? timestamp : 0n,
      text: state?.text ?? String(row["search_text"]),
      isRevised: state?.text !== undefined,
      isRemoved: state?.isRemoved ?? false,
    });
  }
  return texts;
}

/** What these messages hold, part by part, by key. */
export async function loadPartSummaries(
  { store }: SessionStore,
  keys: readonly MessageKey[],
): Promise<Map<string, PartSummary[]>> {
  const summaries = new Map<string, PartSummary[]>();
  if (keys.length === 0) return summaries;
  const rows = await store.table("parts").rows({
    columns: [...partColumns, "ordinal", "data"],
    where: within(keys, "message_id"),
  });
  rows.sort((left, right) => Number(left["ordinal"]) - Number(right["ordinal"]));
  for (const row of rows) {
    const key = keyText({ sessionId: String(row["session_id"]), id: String(row["message_id"]) });
    const own = summaries.get(key);
    const summary = summarizePart(toPart(row));
    if (own) own.push(summary);
    else summaries.set(key, [summary]);
  }
  return summaries;
}

type State = { readonly text: string | undefined; readonly isRemoved: boolean };

/** Where messages were revised or removed since (`session-durable-copy`): how they are now. */
function newestStates(carriers: readonly Row[]): Map<string, State> {
  const states = new Map<string, State>();
  const oldestFirst = carriers.toSorted(
    (left, right) =>
      Number(left["revision"]) - Number(right["revision"]) ||
      (String(left["id"]) < String(right["id"]) ? -1 : 1),
  );
  for (const row of oldestFirst) {
    const key = keyText({ sessionId: String(row["session_id"]), id: String(row["revises"]) });
    const isRemoved = row["digest"] === null;
    const text = isRemoved ? undefined : textOfCarrier(row["options"]);
    // A carrier that only moves a message holds no text; the one before it still does.
    states.set(key, { text: text ?? states.get(key)?.text, isRemoved });
  }
  return states;
}

function textOfCarrier(options: Row[string] | undefined): string | undefined {
  const bag: unknown = parseJson(String(options));
  const pond = isJsonObject(bag) ? bag["pond"] : undefined;
  const wire = isJsonObject(pond) ? pond["message"] : undefined;
  if (wire === undefined) return undefined;
  const message = messageFromWire(wire);
  return searchText(message, partsOf(message)) ?? "";
}

function toPart(row: Row): Part {
  const { session_id, message_id, id, type, provenance, data } = row;
  const variant = parseJson(String(row["variant_data"]));
  return checkPart({
    ...(isJsonObject(variant) ? variant : {}),
    ...(data === null ? {} : { data: { type: "bytes", bytes: data } }),
    ...{ session_id, message_id, id, type, provenance, options: {} },
  });
}

/** Rows of these messages. Pairs may cross; what was not asked for is never looked up. */
function within(keys: readonly MessageKey[], column: string, where?: Filter): Filter {
  const own = and(
    oneOf("session_id", [...new Set(keys.map(({ sessionId }) => sessionId))]),
    oneOf(column, [...new Set(keys.map(({ id }) => id))]),
  );
  return where ? and(own, where) : own;
}
