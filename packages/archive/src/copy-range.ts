import type { Row, Store } from "@pond/substrate";
import { messageOf, missingMessages } from "./missing-messages.ts";
import { keysOf, type MissingRows, missingRows } from "./missing-rows.ts";
import type { Range } from "./ranges.ts";
import { readRows } from "./read-rows.ts";
import { RowWriter } from "./row-writer.ts";
import { readOrder, type TableName } from "./tables.ts";

/** Rows of one table. */
export type RowCounts = {
  readonly inserted: number;
  /** Rows that were there, and stay as they are. */
  readonly present: number;
};

export type RangeOptions = {
  /** Columns to copy, by table. */
  readonly columnsOf: (table: string) => readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** The other store has no indexes, no other writer, and nothing of the range yet. */
  readonly isNew?: boolean;
  /** Told of each row before it is written, in the order of the keys. */
  readonly onRow?: (table: string, row: Row) => void;
  readonly onRows: (rows: number) => void;
};

export type CopiedRange = {
  readonly tables: ReadonlyMap<string, RowCounts>;
  /** Messages that are there with another value than the one to copy, or with parts of another. */
  readonly differing: number;
  /** Sessions whose windows have to be made anew there: it had something of them, or lacks some. */
  readonly mixed: ReadonlySet<string>;
};

/**
 * Copies what another store lacks of a range. Sessions come last, so that whatever breaks it off
 * leaves no session in part.
 */
export async function copyRange(
  from: Store,
  to: Store,
  range: Range,
  options: RangeOptions,
): Promise<CopiedRange> {
  const { isNew = false, signal } = options;
  const known = isNew ? new Map() : await knownSessions(to, range);
  const missing = new Map<TableName, MissingRows>();
  /** Messages that stay as they are there: none of their parts may join what is not theirs. */
  let others: ReadonlySet<string> = new Set();
  for (const name of readOrder) {
    signal?.throwIfAborted();
    // What was read before may be newer than what this handle last saw.
    await from.table(name).refresh();
    const rows =
      name === "messages" && !isNew
        ? await missingMessages(from, to, range)
        : await missingRows(from, isNew ? undefined : to, name, range, (key) => {
            return name === "parts" && others.has(messageOf(key));
          });
    if (name === "messages") others = rows.differing;
    missing.set(name, rows);
  }
  const mixed = isNew
    ? new Set<string>()
    : await mixedSessions(from, to, range, known, missing.get("messages"));
  // Windows are made of all messages that are there, so those of the one store say too little, or
  // what the other does not hold.
  const isOwn = (id: string): boolean => known.has(id) || mixed.has(id);
  const tables = new Map<string, RowCounts>();
  for (const name of readOrder.toReversed()) {
    // A power cut that keeps a row has to keep what is below it.
    if (!isNew && (name === "messages" || name === "sessions")) await to.flush();
    const rows = missing.get(name);
    if (rows) tables.set(name, await copyRows(from, to, name, rows, { known, isOwn }, options));
  }
  return { tables, differing: others.size, mixed };
}

/** Which sessions the other store knows, and which are to have windows made there. */
type Target = {
  readonly known: ReadonlyMap<string, Labels | undefined>;
  readonly isOwn: (sessionId: string) => boolean;
};

async function copyRows(
  from: Store,
  to: Store,
  name: TableName,
  { rowIds, present }: MissingRows,
  { known, isOwn }: Target,
  { columnsOf, signal, isNew = false, onRow, onRows }: RangeOptions,
): Promise<RowCounts> {
  const columns = columnsOf(name);
  const writer = new RowWriter(to.table(name), { columns, isNew, signal, onWritten: onRows });
  onRows(present);
  for await (const row of readRows(from.table(name), columns, rowIds)) {
    signal?.throwIfAborted();
    if (name === "windows" && isOwn(String(row["session_id"]))) {
      onRows(1);
      continue;
    }
    if (name === "messages") relabel(row, known.get(String(row["session_id"])));
    onRow?.(name, row);
    await writer.add(row);
  }
  await writer.finish();
  return { inserted: writer.inserted, present: present + writer.present };
}

/** What every message of a session repeats (spec 5.3). */
type Labels = { readonly sourceAgent: unknown; readonly project: unknown };

/** Labels are denormalised onto messages, so the first ones a store has stay (spec 7.6). */
function relabel(row: Row, labels: Labels | undefined): void {
  if (labels === undefined) return;
  row["source_agent"] = String(labels.sourceAgent);
  row["project"] = String(labels.project);
}

/**
 * Sessions a store has any message of, with their labels where it has their row too: a copy that
 * broke off leaves messages without.
 */
async function knownSessions(to: Store, range: Range): Promise<Map<string, Labels | undefined>> {
  const known = new Map<string, Labels | undefined>();
  for await (const { key } of keysOf(to.table("messages"), range, [])) {
    known.set(key[0] ?? "", undefined);
  }
  const labels = ["source_agent", "project"];
  for await (const { key, row } of keysOf(to.table("sessions"), range, labels)) {
    known.set(key[0] ?? "", { sourceAgent: row["source_agent"], project: row["project"] });
  }
  return known;
}

/**
 * Sessions of which a message was left out, known ones that get messages, and those whose windows
 * differ: an ingest or an earlier copy may have broken off.
 */
async function mixedSessions(
  from: Store,
  to: Store,
  range: Range,
  known: ReadonlyMap<string, unknown>,
  messages: MissingRows | undefined,
): Promise<Set<string>> {
  const mixed = new Set(messages?.cutSessionIds);
  const theirs = await windowsOf(to, range);
  const there = new Set([...known.keys(), ...theirs.keys()]);
  if (there.size === 0) return mixed;
  const ours = await windowsOf(from, range);
  for (const id of there) {
    const isGrown = known.has(id) && messages?.sessionIds.has(id);
    if (isGrown || !isEqual(ours.get(id), theirs.get(id))) mixed.add(id);
  }
  return mixed;
}

/** The windows of each session, as texts that tell one from another. */
async function windowsOf(store: Store, range: Range): Promise<Map<string, Set<string>>> {
  const windows = new Map<string, Set<string>>();
  for await (const { key, row } of keysOf(store.table("windows"), range, ["message_ids"])) {
    const known = windows.get(key[0] ?? "") ?? new Set();
    windows.set(key[0] ?? "", known);
    const ids = String(row["message_ids"]);
    // One that was emptied holds none.
    if (ids !== "[]") known.add(ids);
  }
  return windows;
}

function isEqual(left: ReadonlySet<string> = new Set(), right: ReadonlySet<string> = new Set()) {
  return left.size === right.size && [...left].every((each) => right.has(each));
}
