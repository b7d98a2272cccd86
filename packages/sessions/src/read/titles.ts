import { type Message, partsOf } from "@pond/canonical";
import { and, eq, type Filter, ne, oneOf, type Row, type Store } from "@pond/substrate";
import { isDamage, unlessDamaged } from "../errors.ts";
import { sessionItself } from "../revisions/reconcile.ts";
import { inOrder, partColumns, partFromRow } from "../rows/from-rows.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { fromIndexed } from "../search/indexed-text.ts";
import { searchText } from "../search/search-text.ts";
import type { SessionStore } from "../session-store.ts";
import { searchable } from "../tables.ts";
import { clientTitles } from "./client-titles.ts";
import { loadMessages } from "./content.ts";
import { firstCommands } from "./first-commands.ts";
import { loadPlaces } from "./outline.ts";

const titleChars = 120;

/**
 * The title of each session in its client, or else the beginning of what a person said first; if
 * nobody said anything, the command that began it.
 */
export async function titles(
  { store }: SessionStore,
  sessionIds: readonly string[],
): Promise<Map<string, string>> {
  if (sessionIds.length === 0) return new Map();
  const named = await clientTitles(store, sessionIds);
  const nameless = sessionIds.filter((id) => !named.has(id));
  const said = nameless.length > 0 ? await firstTexts(store, nameless) : new Map<string, string>();
  const textless = nameless.filter((id) => !said.has(id));
  const commands = await firstCommands(store, textless);
  return new Map([...named, ...said, ...commands].map(([id, text]) => [id, shorten(text)]));
}

/** The first thing that a person said in each session, in its present form. */
async function firstTexts(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, string>> {
  const first = await firstStoredTexts(store, sessionIds);
  const found = new Map([...first].map(([id, { text }]) => [id, text]));
  for (const [sessionId, text] of await textsBesideFiles(store, first)) found.set(sessionId, text);
  for (const sessionId of await withChangedBeginning(store, sessionIds, first)) {
    const text = await firstCurrentText(store, sessionId, found.get(sessionId));
    if (text === undefined) found.delete(sessionId);
    else found.set(sessionId, text);
  }
  return found;
}

const readAtOnce = 16;

/** @param stored - Used in place of a damaged row, which is reported when the store is verified. */
async function firstCurrentText(
  store: Store,
  sessionId: string,
  stored: string | undefined,
): Promise<string | undefined> {
  try {
    const places = (await loadPlaces(store, sessionId)).filter(
      ({ carrierId, isSearchable, role }) =>
        carrierId !== undefined || (isSearchable && role === "user"),
    );
    for (let from = 0; from < places.length; from += readAtOnce) {
      const read = await loadMessages(store, sessionId, places.slice(from, from + readAtOnce));
      for (const { message } of read) {
        const text = message.role === "user" ? typedText(message) : null;
        if (text !== null) return text;
      }
    }
    return undefined;
  } catch (error) {
    if (isDamage(error)) return stored;
    throw error;
  }
}

/** What was typed; the names of files with it only if nothing was typed. */
function typedText(message: Message): string | null {
  const parts = partsOf(message);
  const typed = parts.filter(({ type }) => type !== "file");
  return searchText(message, typed) ?? searchText(message, parts);
}

type FirstText = { readonly id: string; readonly ordinal: bigint; readonly text: string };

/** The user's first searchable message in each session, as it was first stored. */
async function firstStoredTexts(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, FirstText>> {
  const table = store.table("messages");
  const within = oneOf("session_id", sessionIds);
  const first = new Map<string, { readonly ordinal: bigint; readonly id: string }>();
  const spoken = and(within, eq("role", "user"), searchable);
  for await (const rows of table.scan({
    columns: ["session_id", "ordinal", "id"],
    where: spoken,
  })) {
    for (const row of rows) {
      const session = String(row["session_id"]);
      const ordinal = BigInt(row["ordinal"] as bigint);
      const known = first.get(session);
      if (!known || ordinal < known.ordinal) first.set(session, { ordinal, id: String(row["id"]) });
    }
  }
  const said = new Map<string, FirstText>();
  const ids = [...first.values()].map(({ id }) => id);
  const rows = await table.rows({
    columns: ["session_id", "id", "search_text"],
    where: and(within, oneOf("id", ids)),
  });
  for (const row of rows) {
    const [session, id] = [String(row["session_id"]), String(row["id"])];
    const known = first.get(session);
    if (known?.id === id)
      said.set(session, { ...known, text: fromIndexed(String(row["search_text"])) });
  }
  return said;
}

/**
 * What was typed in each session whose first message has files: its searchable text names them
 * beside the words. For many sessions at once, because loading one takes longer than listing all
 * others.
 */
async function textsBesideFiles(
  store: Store,
  first: ReadonlyMap<string, FirstText>,
): Promise<Map<string, string>> {
  const typed = new Map<string, string>();
  const table = store.table("parts");
  const isFirst = (row: Row): boolean =>
    first.get(String(row["session_id"]))?.id === String(row["message_id"]);
  const ofFirst = (sessions: readonly string[], type: string): Filter =>
    and(
      oneOf("session_id", sessions),
      oneOf(
        "message_id",
        sessions.map((session) => first.get(session)?.id ?? ""),
      ),
      eq("type", type),
    );
  for (const sessions of idChunks([...first.keys()])) {
    const columns = ["session_id", "message_id"];
    const files = await table.rows({ columns, where: ofFirst(sessions, "file") });
    const withFiles = [...new Set(files.filter(isFirst).map((row) => String(row["session_id"])))];
    if (withFiles.length === 0) continue;
    const texts = await table.rows({ columns: partColumns, where: ofFirst(withFiles, "text") });
    const bySession = Map.groupBy(texts.filter(isFirst), (row) => String(row["session_id"]));
    for (const [session, rows] of bySession) {
      const text = textOfParts(rows);
      if (text !== null) typed.set(session, text);
    }
  }
  return typed;
}

/** The text of a user message's text parts; null if there is none, or it is damaged. */
function textOfParts(rows: readonly Row[]): string | null {
  const parts = unlessDamaged(() => inOrder(rows).map((row) => partFromRow(row, null)));
  return parts ? searchText({ role: "user" }, parts) : null;
}

/** Sessions whose first message, or something above it, says something else by now. */
async function withChangedBeginning(
  store: Store,
  sessionIds: readonly string[],
  first: ReadonlyMap<string, FirstText>,
): Promise<Set<string>> {
  const changed = new Set<string>();
  const where = and(oneOf("session_id", sessionIds), ne("revises", sessionItself));
  const columns = ["session_id", "revises", "ordinal"];
  for await (const rows of store.table("messages").scan({ columns, where })) {
    for (const { session_id, revises, ordinal } of rows) {
      const known = first.get(String(session_id));
      const isAbove = known === undefined || BigInt(ordinal as bigint) < known.ordinal;
      if (isAbove || revises === known.id) changed.add(String(session_id));
    }
  }
  return changed;
}

function shorten(text: string): string {
  const line = text
    .slice(0, titleChars * 10)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= titleChars ? line : `${line.slice(0, titleChars).toWellFormed()}…`;
}
