import { windowPieceOf } from "@pond/sessions/rows";
import type { Row, Store } from "@pond/substrate";
import { groupedBy, withParts } from "./grouped-rows.ts";
import { compareText } from "./key-order.ts";
import type { Range } from "./ranges.ts";
import type { RowLocations } from "./row-locations.ts";
import { RowWriters } from "./row-writer.ts";
import { makeSessionWindows, type WindowSource } from "./session-windows.ts";
import { sortedRows } from "./sorted-rows.ts";
import type { TableName } from "./tables.ts";
import type { WholeRows } from "./whole-rows.ts";

export type AppendOptions = {
  /** Where the rows to copy are. */
  readonly locations: RowLocations;
  readonly whole: WholeRows;
  /** False if another process has written since before the rows were located. */
  readonly isSame: () => Promise<boolean>;
  /** Columns to copy, by table. */
  readonly columnsOf: (table: string) => readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** Called with each row before it is written, in the order of the keys. */
  readonly onRow: (table: string, row: Row) => void;
  readonly onRows: (rows: number) => void;
};

/**
 * Copies a range, in the order of the keys, into a store without indexes that has nothing of the
 * range. The caller is its only writer.
 */
export async function appendRange(
  from: Store,
  to: Store,
  { sessionIds }: Range,
  options: AppendOptions,
): Promise<void> {
  const { columnsOf, whole, signal, onRow, onRows } = options;
  await using writers = new RowWriters(to, { columnsOf, isNew: true, signal, onWritten: onRows });
  const read = (name: TableName): AsyncGenerator<Row> => rowsOf(from, name, sessionIds, options);
  const write = async (name: TableName, row: Row): Promise<void> => {
    signal?.throwIfAborted();
    onRow(name, row);
    await writers.of(name).add(row);
  };
  const copied = new Map<string, CopiedSession>();
  for await (const row of read("sessions")) {
    copied.set(String(row["id"]), {
      row,
      messageIds: new Set(),
      withText: new Set(),
      revised: new Set(),
    });
    await write("sessions", row);
  }
  // Read together, because a message's digest says what its parts have to be.
  for await (const { message, parts } of withParts(read("messages"), read("parts"))) {
    if (message) {
      await whole.check(message, parts);
      await write("messages", message);
      noteMessage(copied.get(String(message["session_id"])), message);
    }
    for (const part of parts) await write("parts", part);
  }
  for await (const row of windowsOf(from, copied, options)) await write("windows", row);
  await writers.finish();
}

/** A session that was copied. */
type CopiedSession = {
  readonly row: Row;
  /** Ids of the rows of its messages. */
  readonly messageIds: Set<string>;
  /** Those of them that have a text. */
  readonly withText: Set<string>;
  /** Those whose text may have changed, or be gone, by now. */
  readonly revised: Set<string>;
};

function noteMessage(
  session: CopiedSession | undefined,
  { id, revises, is_searchable }: Row,
): void {
  session?.messageIds.add(String(id));
  if (revises !== null) session?.revised.add(String(revises));
  else if (Number(is_searchable) === 1) session?.withText.add(String(id));
}

function rowsOf(
  store: Store,
  name: TableName,
  sessionIds: Iterable<string>,
  { locations, whole, columnsOf }: AppendOptions,
  onRead?: () => Promise<void>,
): AsyncGenerator<Row> {
  const rows = sortedRows({ store, locations, name }, columnsOf(name), sessionIds, onRead);
  return whole.of(name, rows);
}

/**
 * The stored windows of sessions. Another process replaces windows in place, before the messages
 * that they describe are there: where that may have happened, windows are made from what was
 * copied.
 */
async function* windowsOf(
  from: Store,
  copied: ReadonlyMap<string, CopiedSession>,
  options: AppendOptions,
): AsyncGenerator<Row> {
  let last = "";
  let isSame = true;
  const onRead = async (): Promise<void> => {
    isSame &&= await options.isSame();
  };
  const rows = rowsOf(from, "windows", copied.keys(), options, onRead);
  for await (const { key, rows: stored } of groupedBy(rows, ["session_id"])) {
    if (!isSame) break;
    const [sessionId = ""] = key;
    const isOwn = areWindowsOf(stored, copied.get(sessionId));
    yield* isOwn ? stored : makeWindows(from, [sessionId], copied, options);
    last = sessionId;
  }
  if (isSame) return;
  const left = [...copied.keys()].filter((id) => compareText(id, last) > 0);
  yield* makeWindows(from, left, copied, options);
}

/** True for windows that describe the messages of a session, and no others. */
function areWindowsOf(windows: readonly Row[], session: CopiedSession | undefined): boolean {
  if (session === undefined) return false;
  const { messageIds, withText, revised } = session;
  const described = new Set(windows.flatMap(idsIn));
  const isDescribed = (id: string): boolean => described.has(id) || revised.has(id);
  return [...described].every((id) => messageIds.has(id)) && [...withText].every(isDescribed);
}

function idsIn(row: Row): readonly string[] {
  return Object.values(JSON.parse(String(row["message_ids"])));
}

/** The windows of sessions, made from what was copied, which is read again. */
async function* makeWindows(
  from: Store,
  sessionIds: readonly string[],
  copied: ReadonlyMap<string, CopiedSession>,
  options: AppendOptions,
): AsyncGenerator<Row> {
  const read = (name: TableName): AsyncGenerator<Row> => rowsOf(from, name, sessionIds, options);
  let made: WindowSource | undefined;
  for await (const { message, parts } of withParts(read("messages"), read("parts"))) {
    const row = copied.get(String(message?.["session_id"]))?.row;
    if (message === undefined || row === undefined) continue;
    if (made && made.row !== row) {
      yield* await makeSessionWindows(from, made);
      made = undefined;
    }
    made ??= { row, pieces: new Map() };
    made.pieces.set(String(message["id"]), windowPieceOf(message, parts));
  }
  if (made) yield* await makeSessionWindows(from, made);
}
