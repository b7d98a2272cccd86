import { hash } from "node:crypto";
import type { AddedRow, MovedMessage } from "@pond/sessions/rows";
import type { Cell } from "@pond/substrate";
import { keyText } from "./key-order.ts";
import { type MissingMessages, messageOf, missingMessages } from "./missing-messages.ts";
import { type KeyedRow, keysOf, missingRows } from "./missing-rows.ts";
import type { Range } from "./ranges.ts";
import type { LocatedStore } from "./row-locations.ts";
import { readOrder, type TableName } from "./tables.ts";

/** The fields of a session that each of its messages repeats (spec 5.3). */
export type Labels = { readonly source_agent: Cell; readonly project: Cell };

/** What is to be copied of a range into a store. */
export type RangePlan = {
  /** Rows that the store lacks, by row id. */
  readonly rowIds: ReadonlyMap<TableName, readonly bigint[]>;
  /** How many rows the store has, or is not to have. */
  readonly present: ReadonlyMap<TableName, number>;
  /** What messages are to be there, by their keys as texts; the others stay as they are. */
  readonly added: ReadonlyMap<string, AddedRow>;
  /** Messages that have to make room there, by session. */
  readonly moves: ReadonlyMap<string, readonly MovedMessage[]>;
  /**
   * Messages that the store shows in another state than the one to copy, or has with parts of
   * another message.
   */
  readonly differing: number;
  /** Sessions of which the store has anything. */
  readonly presentIds: ReadonlySet<string>;
  /**
   * Those of which the store has a message, with their labels if it has their row too: a copy that
   * broke off leaves messages without one.
   */
  readonly known: ReadonlyMap<string, Labels | undefined>;
  /**
   * Sessions whose windows have to be made anew there: the store had some of their rows, or is not
   * to get some.
   */
  readonly mixed: ReadonlySet<string>;
};

/**
 * Finds what a store lacks of a range. Sessions that it has nothing of need no comparison: neither
 * their keys nor the store are read.
 */
export async function planRange(
  from: LocatedStore,
  to: LocatedStore,
  { sessionIds }: Range,
  signal: AbortSignal | undefined,
): Promise<RangePlan> {
  const presentIds = new Set<string>();
  const others: string[] = [];
  for (const id of sessionIds) {
    if (readOrder.some((name) => to.locations.has(name, id))) presentIds.add(id);
    else others.push(id);
  }
  const rowIds = new Map<TableName, readonly bigint[]>();
  const present = new Map<TableName, number>();
  const messages = await missingMessages(from, to, presentIds);
  for (const name of readOrder) {
    signal?.throwIfAborted();
    const rows =
      name === "messages"
        ? messages
        : await missingRows(from, to, name, presentIds, (key) => {
            // No part may join another message's parts.
            return name === "parts" && messages.withOtherParts.has(messageOf(key));
          });
    rowIds.set(name, [...from.locations.rowIds(name, others), ...rows.rowIds]);
    present.set(name, rows.present);
  }
  const known = await knownSessions(to, presentIds);
  const mixed = await mixedSessions(from, to, known, presentIds, messages);
  const { added, moves, differing } = messages;
  return { rowIds, present, added, moves, differing, presentIds, known, mixed };
}

async function knownSessions(
  to: LocatedStore,
  presentIds: ReadonlySet<string>,
): Promise<Map<string, Labels | undefined>> {
  const known = new Map<string, Labels | undefined>();
  for (const id of presentIds) if (to.locations.has("messages", id)) known.set(id, undefined);
  const labels = ["source_agent", "project"];
  for await (const { key, row } of keysOf(to, "sessions", presentIds, labels)) {
    const { source_agent = null, project = null } = row;
    known.set(key[0] ?? "", { source_agent, project });
  }
  return known;
}

/**
 * Sessions of which a message was left out, known sessions that get messages, and sessions whose
 * windows differ: an ingest or an earlier copy may have broken off.
 */
async function mixedSessions(
  from: LocatedStore,
  to: LocatedStore,
  known: ReadonlyMap<string, unknown>,
  presentIds: ReadonlySet<string>,
  messages: MissingMessages,
): Promise<Set<string>> {
  const mixed = new Set(messages.cutSessionIds);
  const [source, target] = [
    await windowsOf(from, presentIds, known),
    await windowsOf(to, presentIds, known),
  ];
  for (const id of presentIds) {
    if (!known.has(id) && !target.has(id)) continue;
    const isGrown = known.has(id) && messages.sessionIds.has(id);
    if (isGrown || !isEqual(source.get(id), target.get(id))) mixed.add(id);
  }
  return mixed;
}

/** The windows of each session, as texts that tell them apart. */
async function windowsOf(
  located: LocatedStore,
  sessionIds: ReadonlySet<string>,
  known: ReadonlyMap<string, unknown>,
): Promise<Map<string, Set<string>>> {
  const windows = new Map<string, Set<string>>();
  const add = ({ key, row }: KeyedRow, text: string): void => {
    const own = windows.get(key[0] ?? "") ?? new Set();
    windows.set(key[0] ?? "", own);
    const ids = String(row["message_ids"]);
    // An emptied window holds no ids; the windows of one long message all hold the same.
    if (ids !== "[]") own.add(keyText([...key, ids, text]));
  };
  const ofKnown = new Set([...sessionIds].filter((id) => known.has(id)));
  for await (const each of keysOf(located, "windows", ofKnown, ["message_ids"])) add(each, "");
  // Without a message, only the text tells from which state they were made.
  const ofOthers = new Set([...sessionIds].filter((id) => !known.has(id)));
  for await (const each of keysOf(located, "windows", ofOthers, ["message_ids", "text"])) {
    add(each, hash("sha256", String(each.row["text"])));
  }
  return windows;
}

function isEqual(left: ReadonlySet<string> = new Set(), right: ReadonlySet<string> = new Set()) {
  return left.size === right.size && [...left].every((each) => right.has(each));
}
