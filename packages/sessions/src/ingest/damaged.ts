import { and, eq, oneOf, type Row, type Store } from "@pond/substrate";
import type { LiveMessage } from "../revisions/reconcile.ts";
import { checkContent } from "../rows/content-check.ts";
import { checkedColumns, checkedPartColumns, isMessageWhole } from "../rows/message-content.ts";
import { tornDigest } from "../rows/message-digest.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import { partRow } from "../rows/to-rows.ts";
import { fillHeads } from "../search/heads.ts";
import type { SessionStore } from "../session-store.ts";

/** Ids of message rows that are not what was written, or whose parts are not, by session. */
export type Damaged = ReadonlyMap<string, ReadonlySet<string>>;

/** What is stored of a message that is not what was written. */
export type DamagedMessage = { readonly row: Row; readonly parts: readonly Row[] };

/** Who is told about the progress, and what stops the reading. */
export type DamageOptions = {
  /** Called with how many rows were read, and how many there are. */
  readonly onRows?: (done: number, total: number) => void;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Reads every message and part and finds those that are not what was written: a part is gone, or a
 * value changed. What their sources still hold mends them ({@link Ingest}). What search shows of a
 * whole message is made again at once.
 *
 * @throws {StorageUnavailableError} if some of it cannot be read.
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
      if (kind === "digest" || kind === "unchecked")
        damaged.set(sessionId, (damaged.get(sessionId) ?? new Set()).add(id));
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

/** A session with damaged messages. */
type DamagedSession = {
  readonly live: Map<string, LiveMessage>;
  /** Ids of the carriers that hold the values shown, by message; other messages hold their own. */
  readonly valueCarriers: ReadonlyMap<string, string>;
  readonly rowIds: ReadonlySet<string>;
};

/**
 * What is stored of the damaged messages of a session, by id. In `live` their digest becomes one
 * that equals none, so that they are written anew. The row that holds the value counts: the
 * message's own row and parts, or the carrier with a later value.
 */
export async function loadDamaged(
  store: Store,
  sessionId: string,
  { live, valueCarriers, rowIds }: DamagedSession,
): Promise<Map<string, DamagedMessage>> {
  const damaged = new Map<string, DamagedMessage>();
  const valueRowIdOf = (id: string): string => valueCarriers.get(id) ?? id;
  const shown = [...live.values()].filter(
    ({ id, digest }) => digest !== null && digest !== tornDigest && rowIds.has(valueRowIdOf(id)),
  );
  if (shown.length === 0) return damaged;
  const ids = shown.map(({ id }) => valueRowIdOf(id));
  const ofSession = eq("session_id", sessionId);
  const [rows, parts] = await Promise.all([
    store
      .table("messages")
      .rows({ columns: checkedColumns, where: and(ofSession, oneOf("id", ids)) }),
    store.table("parts").rows({
      columns: checkedPartColumns,
      where: and(ofSession, oneOf("message_id", ids)),
    }),
  ]);
  const byId = new Map(rows.map((row) => [String(row["id"]), row]));
  const byMessage = Map.groupBy(parts, (part) => String(part["message_id"]));
  for (const message of shown) {
    const valueRowId = valueRowIdOf(message.id);
    const row = byId.get(valueRowId);
    const own = byMessage.get(valueRowId) ?? [];
    // A message that was given up waiting for may be whole.
    if (row === undefined || isMessageWhole(row, own)) continue;
    damaged.set(message.id, { row, parts: own });
    live.set(message.id, { ...message, digest: tornDigest });
  }
  return damaged;
}

/**
 * The places of the parts that a stored message lacks, if it would be whole with them; undefined if
 * something else is wrong with it.
 */
export function missingPartPositions(
  { row, parts }: DamagedMessage,
  { preparedParts, header }: PreparedMessage,
): number[] | undefined {
  const stored = new Map(parts.map((part) => [Number(part["ordinal"]), part]));
  const absent = [...preparedParts.keys()].filter((at) => !stored.has(at));
  const ids = new Set(parts.map(({ id }) => id));
  const isInTheWay = absent.some((at) => ids.has(preparedParts[at]?.id ?? ""));
  const isSurplus = parts.length + absent.length > preparedParts.length;
  if (absent.length === 0 || isInTheWay || isSurplus) return undefined;
  const whole = preparedParts.map(
    (part, at) => stored.get(at) ?? partRow("", header.id, part, at, 0n),
  );
  return isMessageWhole(row, whole) ? absent : undefined;
}
