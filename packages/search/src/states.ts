import {
  isJsonObject,
  type Message,
  messageFromWire,
  parseJson,
  partsOf,
  ValidationError,
} from "@pond/canonical";
import type { SessionStore } from "@pond/sessions";
import { headOf, type MessageHead, searchText } from "@pond/sessions/search";
import { isNotNull, type Row } from "@pond/substrate";
import { keyText, type MessageKey, whereKeys } from "./message.ts";

/** The current state of a message. */
export type MessageState = {
  /** Its current text, author, time and parts; undefined if those are still as first stored. */
  readonly revised: RevisedContent | undefined;
  readonly isRemoved: boolean;
};

type RevisedContent = Pick<MessageHead, "role" | "timestamp" | "parts"> & { readonly text: string };

const carrierColumns = ["session_id", "id", "revises", "revision", "digest", "options"];
const carrierCaches = new WeakMap<
  SessionStore,
  { readonly rows: number; readonly hasAny: boolean }
>();

/** The current states, by key, of those of these messages that were revised or removed since. */
export async function loadStates(
  sessions: SessionStore,
  keys: readonly MessageKey[],
): Promise<Map<string, MessageState>> {
  const states = new Map<string, MessageState>();
  if (keys.length === 0 || !(await hasCarriers(sessions))) return states;
  const rows = await sessions.store
    .table("messages")
    .rows({ columns: carrierColumns, where: whereKeys(keys, "revises") });
  for (const row of rows.toSorted(byRevision)) {
    const key = keyText({ sessionId: String(row["session_id"]), id: String(row["revises"]) });
    const isRemoved = row["digest"] === null;
    const revised = isRemoved ? undefined : revisedContentOf(row["options"]);
    // A carrier that only moves a message holds no text; the one before it still does.
    states.set(key, { revised: revised ?? states.get(key)?.revised, isRemoved });
  }
  return states;
}

/** Most stores have no carriers: asked once, until messages are added. */
async function hasCarriers(sessions: SessionStore): Promise<boolean> {
  const messages = sessions.store.table("messages");
  const rows = await messages.count();
  const known = carrierCaches.get(sessions);
  if (known?.rows === rows) return known.hasAny;
  const hasAny = (await messages.count(isNotNull("revises"))) > 0;
  carrierCaches.set(sessions, { rows, hasAny });
  return hasAny;
}

function byRevision(left: Row, right: Row): number {
  const order = Number(left["revision"]) - Number(right["revision"]);
  return order || (String(left["id"]) < String(right["id"]) ? -1 : 1);
}

function revisedContentOf(options: Row[string] | undefined): RevisedContent | undefined {
  const message = messageIn(options);
  if (message === undefined) return undefined;
  const parts = partsOf(message);
  const { role, timestamp, parts: shown } = headOf(message.session_id, message, parts);
  return { text: searchText(message, parts) ?? "", role, timestamp, parts: shown };
}

/** Also undefined for a damaged carrier, which is reported when the store is verified. */
function messageIn(options: Row[string] | undefined): Message | undefined {
  try {
    const wire = fieldOf(fieldOf(parseJson(String(options)), "pond"), "message");
    return wire === undefined ? undefined : messageFromWire(wire);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ValidationError) return undefined;
    throw error;
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}
