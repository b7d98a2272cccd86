import {
  type AddedRow,
  type DatedMessage,
  type Merge,
  type MovedMessage,
  mergeMessages,
  mergeSession,
  sessionItself,
  sessionRowDigest,
} from "@pond/sessions/rows";
import { rowId } from "@pond/substrate";
import { type Key, keyOf, keyText } from "./key-order.ts";
import { keysOf } from "./missing-rows.ts";
import { readRows } from "./read-rows.ts";
import { RowDigest } from "./row-digest.ts";
import type { LocatedStore } from "./row-locations.ts";

/** The key of a part's message, as text. */
export function messageOf([sessionId = "", messageId = ""]: Key): string {
  return keyText([sessionId, messageId]);
}

/** The rows of `messages` of some sessions that one store is to get from another. */
export type MissingMessages = {
  /** By row id. */
  readonly rowIds: readonly bigint[];
  /** What they are to be in the target, by their keys as texts. */
  readonly added: ReadonlyMap<string, AddedRow>;
  /** Messages that have to make room in the target, by session. */
  readonly moves: ReadonlyMap<string, readonly MovedMessage[]>;
  /** Sessions that get any. */
  readonly sessionIds: ReadonlySet<string>;
  /** How many rows the target has, or is not to have. */
  readonly present: number;
  /** Sessions of which the target is not to have some rows. */
  readonly cutSessionIds: ReadonlySet<string>;
  /** How many messages stay although they differ. */
  readonly differing: number;
  /** Messages whose first values differ, by key: parts of the one do not belong to the other. */
  readonly withOtherParts: ReadonlySet<string>;
};

/**
 * The messages of some sessions that another store lacks. If it has other parts of a message, left
 * by an ingest that broke off, the message counts as differing: together they would make a message
 * that never existed.
 */
export async function missingMessages(
  from: LocatedStore,
  to: LocatedStore,
  sessionIds: ReadonlySet<string>,
): Promise<MissingMessages> {
  const [given, stored] = [await rowsOf(from, sessionIds), await rowsOf(to, sessionIds)];
  const torn = await tornMessages(from, to, given, stored);
  const sessions = await sessionsOf(from, to, given);
  const rowIds: bigint[] = [];
  const added = new Map<string, AddedRow>();
  const moves = new Map<string, readonly MovedMessage[]>();
  const grown = new Set<string>();
  const cutSessionIds = new Set<string>();
  const withOtherParts = new Set(torn);
  let present = 0;
  let differing = 0;
  for (const [id, rows] of given) {
    const own = stored.get(id) ?? [];
    const isLeftOut = (message: string): boolean => torn.has(keyText([id, message]));
    const merges = [mergeMessages(own.filter(isOfMessage), rows.filter(isOfMessage), isLeftOut)];
    const session = sessions.get(id);
    if (session) merges.push(mergeCarriers(id, session, own, rows));
    const rowIdOf = new Map(rows.map((row) => [row.id, row.row]));
    const before = rowIds.length;
    for (const merge of merges) {
      differing += merge.differing.length;
      if (merge.moves.length > 0) moves.set(id, merge.moves);
      for (const each of merge.added) {
        rowIds.push(rowIdOf.get(each.from) ?? 0n);
        added.set(keyText([id, each.from]), each);
      }
    }
    present += rows.length - (rowIds.length - before);
    if (rowIds.length > before) grown.add(id);
    if (rows.some((row) => isLeftOut(row.id))) cutSessionIds.add(id);
    const digests = new Map(own.map((row) => [row.id, row.digest]));
    for (const row of rows) {
      const digest = digests.get(row.id);
      if (digest !== undefined && digest !== row.digest) withOtherParts.add(keyText([id, row.id]));
    }
  }
  return {
    rowIds,
    added,
    moves,
    sessionIds: grown,
    present,
    cutSessionIds,
    differing,
    withOtherParts,
  };
}

/** A row of a message, and its row id. */
type LocatedRow = DatedMessage & { readonly row: bigint };

const comparedColumns = ["ordinal", "digest", "revises", "revision", "timestamp", "ingested_at"];

/** The rows of messages of some sessions, by session, without reading their content. */
async function rowsOf(
  located: LocatedStore,
  sessionIds: ReadonlySet<string>,
): Promise<Map<string, LocatedRow[]>> {
  const sessions = new Map<string, LocatedRow[]>();
  for await (const { key, row } of keysOf(located, "messages", sessionIds, comparedColumns)) {
    const [sessionId = "", id = ""] = key;
    const found: LocatedRow = {
      id,
      ordinal: BigInt(row["ordinal"] as bigint),
      digest: row["digest"] as string | null,
      revises: row["revises"] as string | null,
      revision: BigInt(row["revision"] as bigint),
      timestamp: BigInt(row["timestamp"] as bigint),
      ingestedAt: BigInt(row["ingested_at"] as bigint),
      row: BigInt(row[rowId] as bigint),
    };
    const others = sessions.get(sessionId);
    if (others) others.push(found);
    else sessions.set(sessionId, [found]);
  }
  if (located.names.isEmpty) return sessions;
  for (const [id, rows] of sessions) {
    if (!rows.every(isOfMessage)) sessions.set(id, await withOwnDigests(located, rows));
  }
  return sessions;
}

/** The digest of a statement about a session depends on the session's name. */
async function withOwnDigests(
  { store, names }: LocatedStore,
  rows: readonly LocatedRow[],
): Promise<LocatedRow[]> {
  const carriers = rows.filter((each) => !isOfMessage(each));
  const digests = new Map<string, string | null>();
  const columns = ["session_id", "id", "source_agent", "project", "revises", "digest", "options"];
  const table = store.table("messages");
  const rowIds = carriers.map((each) => each.row);
  for await (const row of readRows(table, columns, rowIds)) {
    digests.set(String(row["id"]), names.renamed("messages", row)["digest"] as string | null);
  }
  return rows.map((each) => ({ ...each, digest: digests.get(each.id) ?? each.digest }));
}

function isOfMessage({ revises }: DatedMessage): boolean {
  return revises !== sessionItself;
}

type SessionRows = { readonly given: DatedRow; readonly stored: DatedRow };
type DatedRow = { readonly digest: string | undefined; readonly ingestedAt: bigint };
const noRow: DatedRow = { digest: undefined, ingestedAt: 0n };

/** What the two stores say about the sessions themselves, for those with later states to copy. */
async function sessionsOf(
  from: LocatedStore,
  to: LocatedStore,
  given: ReadonlyMap<string, readonly DatedMessage[]>,
): Promise<Map<string, SessionRows>> {
  const ids = [...given].filter(([, rows]) => !rows.every(isOfMessage)).map(([id]) => id);
  const wanted = new Set(ids);
  const read = async (located: LocatedStore): Promise<Map<string, DatedRow>> => {
    const columns = Object.keys(located.store.table("sessions").declaration.columns);
    const rows = new Map<string, DatedRow>();
    for await (const { key, row } of keysOf(located, "sessions", wanted, columns)) {
      const ingestedAt = BigInt(row["ingested_at"] as bigint);
      rows.set(key[0] ?? "", { digest: sessionRowDigest(row), ingestedAt });
    }
    return rows;
  };
  const [source, own] = [await read(from), await read(to)];
  return new Map(
    ids.map((id) => [id, { given: source.get(id) ?? noRow, stored: own.get(id) ?? noRow }]),
  );
}

function mergeCarriers(
  id: string,
  { given, stored }: SessionRows,
  own: readonly DatedMessage[],
  rows: readonly DatedMessage[],
): Merge {
  const carriersOf = (all: readonly DatedMessage[]) => all.filter((row) => !isOfMessage(row));
  return mergeSession(
    id,
    { ...stored, carriers: carriersOf(own) },
    { ...given, carriers: carriersOf(rows) },
  );
}

/** Messages of these for which the other store has parts other than those to copy. */
async function tornMessages(
  from: LocatedStore,
  to: LocatedStore,
  given: ReadonlyMap<string, readonly DatedMessage[]>,
  stored: ReadonlyMap<string, readonly DatedMessage[]>,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const [id, rows] of given) {
    const known = new Set(stored.get(id)?.map((row) => row.id));
    for (const row of rows) if (!known.has(row.id)) keys.add(keyText([id, row.id]));
  }
  const sessionIds = new Set(given.keys());
  const left = keys.size === 0 ? [] : await partsOf(to, sessionIds, keys);
  if (left.length === 0) return new Set();
  const own = await partsOf(from, sessionIds, new Set(left.map(({ message }) => message)));
  const digests = new Map(own.map(({ part, digest }) => [part, digest]));
  // A copy that broke off may have left some of exactly these parts.
  const others = left.filter(({ part, digest }) => digests.get(part) !== digest);
  return new Set(others.map(({ message }) => message));
}

/** A part by its key and the key of its message, as texts. */
type DigestedPart = { readonly part: string; readonly message: string; readonly digest: string };

/** The parts of these messages that a store has. */
async function partsOf(
  located: LocatedStore,
  sessionIds: ReadonlySet<string>,
  messages: ReadonlySet<string>,
): Promise<DigestedPart[]> {
  const table = located.store.table("parts");
  const ids: bigint[] = [];
  for await (const { key, row } of keysOf(located, "parts", sessionIds, [])) {
    if (messages.has(messageOf(key))) ids.push(BigInt(row[rowId] as bigint));
  }
  const { primaryKey, columns: declared } = table.declaration;
  const columns = Object.keys(declared).filter((name) => name !== "ingested_at");
  const parts: DigestedPart[] = [];
  for await (const read of readRows(table, columns, ids)) {
    const row = located.names.renamed("parts", read);
    const key = keyOf(row, primaryKey);
    const digest = new RowDigest(columns);
    digest.add(row);
    parts.push({ part: keyText(key), message: messageOf(key), digest: digest.digest() });
  }
  return parts;
}
