import { and, eq, oneOf, type Row, type Store } from "@pond/substrate";
import type { LiveMessage } from "../revisions/reconcile.ts";
import { checkContent } from "../rows/content-check.ts";
import { isMessageWhole } from "../rows/message-content.ts";
import { tornDigest } from "../rows/message-digest.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import { partRow } from "../rows/to-rows.ts";
import { fillHeads } from "../search/heads.ts";
import type { SessionStore } from "../session-store.ts";

/** Ids of message rows that are not what was written, or whose parts are not, by session. */
export type Damaged = ReadonlyMap<string, ReadonlySet<string>>;

/** What is stored of a message that is not what was written. */
export type DamagedMessage = { readonly row: Row; readonly parts: readonly Row[] };

/** Who is told how far the reading is, and what stops it. */
export type DamageOptions = {
  /** Told of rows that were read, of how many there are. */
  readonly onRows?: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Reads every message and part there is and finds those that are not what was written: a part is
 * gone, or a value is another. What their sources still hold mends them ({@link Ingest}). What search
 * shows of a message that is whole is made again at once.
 *
 * @throws {StorageUnavailableError} where some of it cannot be read.
 */
export async function findDamaged(
  sessions: SessionStore,
  { onRows, signal }: DamageOptions = {},
): Promise<Damaged> {
  const { store } = sessions;
  const damaged = new Map<string, Set<string>>();
  const headless = { session_id: [] as string[], id: [] as string[] };
  const content = checkContent({
    onFinding: (table, kind, row) => {
      const [sessionId, id] = [String(row["session_id"]), String(row["id"])];
      if (table !== "messages") return;
      if (kind === "digest") damaged.set(sessionId, (damaged.get(sessionId) ?? new Set()).add(id));
      if (kind !== "head") return;
      headless.session_id.push(sessionId);
      headless.id.push(id);
    },
  });
  const names = ["messages", "parts"];
  const counts = await Promise.all(names.map((name) => store.table(name).count()));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const readings = new Map(
    names.map((name) => {
      const columns = content.columns[name] ?? [];
      return [name, store.table(name).scan({ columns })[Symbol.asyncIterator]()];
    }),
  );
  for (let done = 0; readings.size > 0; ) {
    signal?.throwIfAborted();
    const name = content.next([...readings.keys()]) ?? "";
    const { value: rows } = (await readings.get(name)?.next()) ?? {};
    if (rows === undefined) readings.delete(name);
    else {
      content.add(name, rows);
      done += rows.length;
      onRows?.(done, total);
    }
  }
  content.finish(new Set());
  if (headless.id.length > 0) {
    await store.table("messages").update({ ...headless, head: headless.id.map(() => null) });
    await fillHeads(sessions, signal);
  }
  return damaged;
}

const rowColumns = ["id", "role", "timestamp", "content", "options", "digest", "revision"];
const partColumns = ["message_id", "id", "ordinal", "type", "provenance"];
const partValues = ["variant_data", "data", "options"];

/**
 * What is stored of the damaged messages of a session, by id. In `live` their digest becomes one that
 * equals none, so that they are written anew. Of one that a carrier holds, the carrier is not read:
 * another one takes its place.
 */
export async function loadDamaged(
  store: Store,
  sessionId: string,
  live: Map<string, LiveMessage>,
  rowIds: ReadonlySet<string>,
): Promise<Map<string, DamagedMessage>> {
  const damaged = new Map<string, DamagedMessage>();
  const shown = [...live.values()].filter(
    ({ rowId, digest }) => digest !== null && rowIds.has(rowId),
  );
  if (shown.length === 0) return damaged;
  for (const message of shown) live.set(message.id, { ...message, digest: tornDigest });
  const ids = shown.map(({ rowId }) => rowId);
  const ofSession = eq("session_id", sessionId);
  const [rows, parts] = await Promise.all([
    store.table("messages").rows({ columns: rowColumns, where: and(ofSession, oneOf("id", ids)) }),
    store.table("parts").rows({
      columns: [...partColumns, ...partValues],
      where: and(ofSession, oneOf("message_id", ids)),
    }),
  ]);
  const byId = new Map(rows.map((row) => [String(row["id"]), row]));
  const byMessage = Map.groupBy(parts, (part) => String(part["message_id"]));
  for (const { id, rowId } of shown) {
    const row = byId.get(rowId);
    if (row) damaged.set(id, { row, parts: byMessage.get(rowId) ?? [] });
  }
  return damaged;
}

/**
 * The places of the parts that a stored message lacks, where it is whole with them; undefined where
 * something else is wrong with it.
 */
export function absentParts(
  { row, parts }: DamagedMessage,
  { preparedParts, header }: PreparedMessage,
): number[] | undefined {
  const stored = new Map(parts.map((part) => [Number(part["ordinal"]), part]));
  const absent = [...preparedParts.keys()].filter((at) => !stored.has(at));
  if (absent.length === 0) return undefined;
  const whole = preparedParts.map(
    (part, at) => stored.get(at) ?? partRow("", header.id, part, at, 0n),
  );
  return isMessageWhole(row, whole) ? absent : undefined;
}
