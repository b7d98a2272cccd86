import { type Message, partsOf } from "@pond/canonical";
import {
  and,
  type Cell,
  eq,
  type Filter,
  ne,
  oneOf,
  or,
  type Row,
  rowId,
  type Store,
} from "@pond/substrate";
import { isDamage, unlessDamaged } from "../errors.ts";
import { sessionItself } from "../revisions/reconcile.ts";
import { inOrder, partColumns, partFromRow } from "../rows/from-rows.ts";
import { idChunks } from "../rows/id-chunks.ts";
import { fromIndexed } from "../search/indexed-text.ts";
import { fromHeadText, maxHeadParts } from "../search/message-head.ts";
import { searchText } from "../search/search-text.ts";
import { searchable } from "../tables.ts";
import { loadMessages } from "./content.ts";
import { loadPlaces } from "./outline.ts";

/** The first thing that a person said in each session, in its present form. */
export async function firstTexts(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, string>> {
  const { first, changes } = await loadBeginnings(store, sessionIds);
  const stored = await storedTexts(store, first);
  const found = new Map([...stored].map(([sessionId, { text }]) => [sessionId, text]));
  const withFiles = [...stored].flatMap(([id, { mayHaveFiles }]) => (mayHaveFiles ? [id] : []));
  for (const [sessionId, text] of await textsBesideFiles(store, first, withFiles)) {
    found.set(sessionId, text);
  }
  for (const sessionId of withChangedBeginning(changes, first)) {
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

/** The user's first searchable message in a session, as the session was first stored. */
type First = { readonly id: string; readonly ordinal: bigint; readonly row: bigint };

/** A message that says something else by now. */
type Change = { readonly sessionId: string; readonly revises: string; readonly ordinal: bigint };

/** The first message of each session, and what changed in them. */
async function loadBeginnings(
  store: Store,
  sessionIds: readonly string[],
): Promise<{ readonly first: ReadonlyMap<string, First>; readonly changes: readonly Change[] }> {
  const first = new Map<string, First>();
  const changes: Change[] = [];
  const columns = ["session_id", "ordinal", "id", "revises", rowId];
  const spoken = and(eq("role", "user"), searchable);
  const where = and(oneOf("session_id", sessionIds), or(spoken, ne("revises", sessionItself)));
  for await (const rows of store.table("messages").scan({ columns, where })) {
    for (const { [rowId]: row, revises, ...rest } of rows) {
      const [sessionId, id] = [String(rest["session_id"]), String(rest["id"])];
      const ordinal = BigInt(rest["ordinal"] as bigint);
      if (typeof revises === "string") {
        changes.push({ sessionId, revises, ordinal });
        continue;
      }
      const known = first.get(sessionId);
      if (known && known.ordinal <= ordinal) continue;
      first.set(sessionId, { id, ordinal, row: BigInt(row as bigint) });
    }
  }
  return { first, changes };
}

type StoredText = { readonly text: string; readonly mayHaveFiles: boolean };

/** The texts of these messages as they were first stored, by session. */
async function storedTexts(
  store: Store,
  first: ReadonlyMap<string, First>,
): Promise<Map<string, StoredText>> {
  const texts = new Map<string, StoredText>();
  const columns = ["session_id", "id", "search_text", "head"];
  const where = oneOf(
    rowId,
    [...first.values()].map(({ row }) => row),
  );
  for (const { session_id, id, search_text, head } of await store
    .table("messages")
    .rows({ columns, where })) {
    const session = String(session_id);
    if (first.get(session)?.id !== id) continue;
    const text = fromIndexed(String(search_text));
    texts.set(session, { text, mayHaveFiles: mayHaveFiles(head) });
  }
  return texts;
}

/** True also if no head is stored yet, or a damaged one, or one that leaves parts out. */
function mayHaveFiles(head: Cell | undefined): boolean {
  if (typeof head !== "string") return true;
  const parts = unlessDamaged(() => fromHeadText(head).parts);
  if (parts === undefined || parts.length === maxHeadParts) return true;
  return parts.some(({ type }) => type === "file");
}

/**
 * What was typed in each session whose first message has files: its searchable text names them
 * beside the words. For many sessions at once, because loading one takes longer than listing all
 * others.
 */
async function textsBesideFiles(
  store: Store,
  first: ReadonlyMap<string, First>,
  sessionIds: readonly string[],
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
  for (const sessions of idChunks(sessionIds)) {
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
function withChangedBeginning(
  changes: readonly Change[],
  first: ReadonlyMap<string, First>,
): Set<string> {
  const changed = changes.filter(({ sessionId, revises, ordinal }) => {
    const known = first.get(sessionId);
    return known === undefined || ordinal < known.ordinal || revises === known.id;
  });
  return new Set(changed.map(({ sessionId }) => sessionId));
}
