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
import { keyText, type MessageKey, within } from "./message.ts";

/** The current state of a message. */
export type State = {
  /** Its current text, author, time and parts; undefined if those are still as first stored. */
  readonly said: Said | undefined;
  readonly isRemoved: boolean;
};

type Said = Pick<MessageHead, "role" | "timestamp" | "parts"> & { readonly text: string };

const carrierColumns = ["session_id", "id", "revises", "revision", "digest", "options"];
const carriers = new WeakMap<SessionStore, { readonly rows: number; readonly hasAny: boolean }>();

/** The current states, by key, of those of these messages that were revised or removed since. */
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
    const said = isRemoved ? undefined : saidBy(row["options"]);
    // A carrier that only moves a message holds no text; the one before it still does.
    states.set(key, { said: said ?? states.get(key)?.said, isRemoved });
  }
  return states;
}

/** Most stores have no carriers: asked once, until messages are added. */
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

function saidBy(options: Row[string] | undefined): Said | undefined {
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
