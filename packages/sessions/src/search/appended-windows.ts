import { stringifyJson } from "@pond/canonical";
import { eq, type Store } from "@pond/substrate";
import { nothingIfDamaged } from "../errors.ts";
import { loadMessages, loadWithoutParts } from "../read/content.ts";
import { byOrdinal } from "../revisions/order.ts";
import type { LiveMessage } from "../revisions/reconcile.ts";
import type { Labels } from "../rows/to-rows.ts";
import {
  isContinuation,
  pieceOfStored,
  type Window,
  type WindowPiece,
  windowsOf,
} from "./windows.ts";

// With more to load, the whole session might as well be loaded.
const maxLoadedMessages = 200;

/** What the store holds of a session. */
type Stored = {
  readonly live: ReadonlyMap<string, LiveMessage>;
  /** Numbers of the rows, by id. */
  readonly rows: ReadonlyMap<string, bigint>;
  /** Ids of the rows that have a text to search. */
  readonly searchable: readonly string[];
};

type StoredWindows = {
  readonly last: { readonly ordinal: bigint; readonly ids: string };
  readonly titleIds: ReadonlySet<string>;
  /** Ids of the windows that continue a long message. */
  readonly continuationIds: ReadonlySet<string>;
};

/** What was read of a session. */
type Read = {
  /** What is new in it, and any other message known to say a title. */
  readonly added: readonly WindowPiece[];
  /**
   * For messages that were read exactly as they are stored, by id; null if windows hold nothing of
   * one.
   */
  readonly pieceOf: (id: string) => WindowPiece | null | undefined;
};

/**
 * The windows to write for a session to which messages were added at the end: its last one, if they
 * continue it, and the windows after it. Of the stored messages only those of the last window are
 * looked at, and loaded if they were not read.
 *
 * @param known - What was there before.
 * @returns Undefined if that is not enough to know; then all windows have to be made again.
 */
export async function appendedWindows(
  store: Store,
  { sessionId }: Labels,
  known: Stored,
  { added, pieceOf }: Read,
): Promise<Window[] | undefined> {
  if (!added.some((piece) => isNewContent(piece, known))) return [];
  const stored = await storedWindows(store, sessionId, known);
  if (stored === undefined) return undefined;
  const { last, titleIds, continuationIds } = stored;
  const tail = [...known.live.values()].filter(({ ordinal }) => ordinal >= last.ordinal);
  // A carrier holds a later value of its message, or another place for it.
  const isPlain = tail.every(({ id, rowId, digest }) => digest !== null && rowId === id);
  const unread = tail.filter(({ id }) => pieceOf(id) === undefined);
  if (!isPlain || unread.length > maxLoadedMessages) return undefined;
  const loaded = await loadPieces(store, sessionId, unread, known).catch(nothingIfDamaged);
  if (loaded === undefined) return undefined;
  const pieces = tail.toSorted(byOrdinal).flatMap(({ id }) => pieceOf(id) ?? loaded.get(id) ?? []);
  const rebuilt = windowsOf(pieces);
  const first = rebuilt.find(({ messageIds }) => messageIds.length > 0);
  if (first === undefined || idsText(first) !== last.ids) return undefined;
  // An earlier version made one window of a long message.
  if (rebuilt.some(({ id }) => isContinuation(id) && !continuationIds.has(id))) return undefined;
  return windowsOf([...pieces, ...added]).filter(
    ({ id, messageIds }) =>
      !(titleIds.has(id) || continuationIds.has(id)) && stringifyJson(messageIds) !== last.ids,
  );
}

/** True for something that windows do not hold yet: a text or a title of a new message. */
function isNewContent({ id, text, title }: WindowPiece, { live }: Stored): boolean {
  return !live.has(id) && (text !== null || title !== undefined);
}

/**
 * The window that begins last, and the ids of those of titles and of further chunks. Undefined
 * unless every other window begins with an existing message, and each message with a text is in one
 * of them: processes that stored some of a session at the same time made windows without each
 * other's messages.
 */
async function storedWindows(
  store: Store,
  sessionId: string,
  { live, searchable }: Stored,
): Promise<StoredWindows | undefined> {
  const columns = ["id", "message_ids"];
  const rows = await store.table("windows").rows({ columns, where: eq("session_id", sessionId) });
  const covered = new Set<string>();
  const titleIds = new Set<string>();
  const continuationIds = new Set<string>();
  let last: StoredWindows["last"] | undefined;
  for (const row of rows) {
    const [id, ids] = [String(row["id"]), String(row["message_ids"])];
    // The window of a title holds no messages, and an emptied one holds none any more.
    if (ids === noIds) {
      titleIds.add(id);
      continue;
    }
    if (isContinuation(id)) {
      continuationIds.add(id);
      continue;
    }
    const first = live.get(id);
    if (first === undefined || first.digest === null) return undefined;
    if (last === undefined || first.ordinal > last.ordinal) last = { ordinal: first.ordinal, ids };
    for (const id of JSON.parse(ids) as string[]) {
      if (covered.has(id)) return undefined;
      covered.add(id);
    }
  }
  // A carrier's text may differ, or be missing.
  const isUncovered = (id: string): boolean => live.get(id)?.rowId === id && !covered.has(id);
  return last === undefined || searchable.some(isUncovered)
    ? undefined
    : { last, titleIds, continuationIds };
}

const noIds = stringifyJson([]);

/**
 * By id. For messages without a text to search, no parts are loaded, because a tool's output may be
 * large.
 */
async function loadPieces(
  store: Store,
  sessionId: string,
  messages: readonly LiveMessage[],
  { rows, searchable }: Stored,
): Promise<Map<string, WindowPiece>> {
  if (messages.length === 0) return new Map();
  const withText = new Set(searchable);
  const places = messages.map(({ id }) => ({ id, carrierId: undefined, row: rows.get(id) }));
  const isFound = ({ id }: { readonly id: string }): boolean => withText.has(id);
  const [found, others] = await Promise.all([
    loadMessages(store, sessionId, places.filter(isFound)),
    loadWithoutParts(
      store,
      sessionId,
      places.filter((place) => !isFound(place)),
    ),
  ]);
  const loaded = [...found.map(({ message }) => message), ...others];
  return new Map(loaded.map((message) => [message.id, pieceOfStored(message)]));
}

function idsText({ messageIds }: Window): string {
  return stringifyJson(messageIds);
}
