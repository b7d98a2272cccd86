import { commandIn } from "@pond/canonical/foreign";
import { and, type Cell, contains, eq, isNull, oneOf, type Row, type Store } from "@pond/substrate";
import { unlessDamaged } from "../errors.ts";
import { byOrdinal } from "../revisions/order.ts";
import { liveMessages } from "../revisions/reconcile.ts";
import { isMendedRow } from "../revisions/revisions.ts";
import { storedColumns, storedMessage } from "../revisions/stored-messages.ts";
import { partColumns, partFromRow } from "../rows/from-rows.ts";
import { idChunks } from "../rows/id-chunks.ts";

/** A client's note among the user's messages, in which nothing was said. */
type Note = { readonly id: string; readonly ordinal: bigint; readonly digest: Cell };

// A session that a command began has its note after few others.
const maxNotes = 8;

/** The command that began each of these sessions, if nobody said anything in it. */
export async function firstCommands(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const ids of idChunks(sessionIds)) {
    const notes = await firstNotes(store, ids);
    for (const [session, command] of await commandsIn(store, notes)) found.set(session, command);
  }
  return found;
}

/** The first notes in each session of which no revision changed more than the place. */
async function firstNotes(
  store: Store,
  sessionIds: readonly string[],
): Promise<Map<string, readonly Note[]>> {
  const table = store.table("messages");
  const within = oneOf("session_id", sessionIds);
  const notSearchable = and(within, eq("role", "user"), eq("is_searchable", 0n), isNull("revises"));
  const notes = new Map<string, Note[]>();
  for await (const rows of table.scan({
    columns: ["session_id", "id", "ordinal", "digest"],
    where: notSearchable,
  })) {
    for (const { session_id, id, ordinal, digest = null } of rows) {
      const session = String(session_id);
      const note = { id: String(id), ordinal: BigInt(ordinal as bigint), digest };
      notes.set(session, [...(notes.get(session) ?? []), note].sort(byOrdinal).slice(0, maxNotes));
    }
  }
  const ids = [...notes.values()].flat().map(({ id }) => id);
  if (ids.length === 0) return notes;
  const columns = ["session_id", ...storedColumns];
  const later = await table.rows({ columns, where: and(within, oneOf("revises", ids)) });
  for (const [session, rows] of Map.groupBy(later, (row) => String(row["session_id"]))) {
    const states = liveMessages(rows.map(storedMessage));
    const own = notes.get(session) ?? [];
    const isMended = (note: Note): boolean =>
      rows.some(({ id, revises }) => revises === note.id && isMendedRow(String(id)));
    // A note that has only moved says what it said, where it is now; the parts of a mended one do
    // not.
    const now = own.flatMap((note) => {
      const { digest, ordinal } = states.get(note.id) ?? note;
      return digest === note.digest && !isMended(note) ? [{ ...note, ordinal }] : [];
    });
    notes.set(session, now);
  }
  return notes;
}

/** The first command that the notes of each session hold. */
async function commandsIn(
  store: Store,
  notes: ReadonlyMap<string, readonly Note[]>,
): Promise<Map<string, string>> {
  const ids = [...notes.values()].flat().map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await store.table("parts").rows({
    columns: partColumns,
    where: and(
      oneOf("session_id", [...notes.keys()]),
      oneOf("message_id", ids),
      eq("type", "text"),
      contains("variant_data", "<command-message>"),
    ),
  });
  const first = new Map<string, { readonly ordinal: bigint; readonly command: string }>();
  for (const row of rows) {
    const session = String(row["session_id"]);
    const note = notes.get(session)?.find(({ id }) => id === String(row["message_id"]));
    const command = note && commandOf(row);
    const known = first.get(session);
    if (note && command && (!known || note.ordinal < known.ordinal)) {
      first.set(session, { ordinal: note.ordinal, command });
    }
  }
  return new Map([...first].map(([session, { command }]) => [session, command]));
}

/** The command that a part names; undefined if there is none, or the part is damaged. */
function commandOf(row: Row): string | undefined {
  const part = unlessDamaged(() => partFromRow(row, null));
  const isNote = part?.type === "text" && part.provenance === "injected";
  return isNote ? commandIn(part.text) : undefined;
}
