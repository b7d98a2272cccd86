import { addedRow, claimSharedMessages, movedRow } from "@pond/sessions/rows";
import { HeadBuilder } from "@pond/sessions/search";
import type { Row, Store } from "@pond/substrate";
import { isWhole } from "./damage.ts";
import { keyText } from "./key-order.ts";
import { MessagesMissingParts } from "./messages-missing-parts.ts";
import { loadNamedSession, occupiedNames } from "./name-conflicts.ts";
import { areNamesCurrent } from "./name-sessions.ts";
import { type Labels, planRange, type RangePlan } from "./plan-range.ts";
import type { Range } from "./ranges.ts";
import { readRows } from "./read-rows.ts";
import type { LocatedStore } from "./row-locations.ts";
import { RowWriter } from "./row-writer.ts";
import { readOrder, type TableName } from "./tables.ts";
import type { Target } from "./target.ts";

/** Rows of one table. */
export type RowCounts = {
  readonly inserted: number;
  /** Rows that were there and stay as they are. */
  readonly present: number;
};

export type RangeOptions = {
  /** Columns to copy, by table. */
  readonly columnsOf: (table: string) => readonly string[];
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
  readonly onRows: (rows: number) => void;
  /** Called with the number of rows that were inserted under names that are no longer used. */
  readonly onAbandoned: (table: TableName, rows: number) => void;
  /** Receives names under which messages of other sessions are found. */
  readonly occupied: Set<string>;
};

export type CopiedRange = Pick<RangePlan, "differing" | "mixed"> & {
  readonly tables: ReadonlyMap<string, RowCounts>;
  /** Sessions of which a damaged row was left out, or a message has lost its parts. */
  readonly damaged: ReadonlySet<string>;
};

/**
 * Copies the rows of a range that another store lacks. Sessions come last, so that no session is in
 * part there, whatever breaks the copy off.
 *
 * @returns Undefined if another process has stored other sessions there under some of these names,
 * or messages of such sessions (it may have broken off): these sessions then have to get other
 * names.
 */
export async function copyRange(
  from: LocatedStore,
  to: Target,
  range: Range,
  options: RangeOptions,
): Promise<CopiedRange | undefined> {
  const inserted = new Map<TableName, number>();
  const damaged = new Set<string>();
  // For each attempt: rows that one attempt inserted make no difference to the next.
  const mixed = new Set<string>();
  const writing: WriteOptions = {
    ...options,
    onInserted: (table, rows) => {
      inserted.set(table, (inserted.get(table) ?? 0) + rows);
      to.inserted(table, rows);
    },
    onDamaged: (sessionId) => void damaged.add(sessionId),
  };
  const { occupied } = options;
  // Checked once it is known where rows are: a session that came before that is one of them.
  const checkNames = (): Promise<boolean> =>
    areNamesCurrent(from.store, to.store, { names: from.names, occupied }, range.sessionIds);
  let locations = await to.locationsOf(range);
  let areNamesRight = to.isInitial(locations) || (await checkNames());
  while (areNamesRight) {
    const before = new Map(inserted);
    const plan = await planRange(from, to.located(locations), range, options.signal);
    for (const id of plan.mixed) mixed.add(id);
    const rowless = [...plan.known].flatMap(([name, labels]) => (labels ? [] : [name]));
    const others = await occupiedNames(from, to.store, rowless);
    for (const name of others) occupied.add(name);
    if (others.length > 0) break;
    if (await writeMissing(from, to, { ...plan, sessionIds: range.sessionIds }, writing)) {
      const { differing, present } = plan;
      const tables = readOrder.toReversed().map((name): [string, RowCounts] => {
        // Rows that an earlier attempt inserted were present for the last one.
        const own = (present.get(name) ?? 0) - (before.get(name) ?? 0);
        return [name, { inserted: inserted.get(name) ?? 0, present: own }];
      });
      return { tables: new Map(tables), differing, damaged, mixed };
    }
    locations = await to.locateAgain(range);
    areNamesRight = await checkNames();
  }
  for (const [name, rows] of inserted) options.onAbandoned(name, rows);
  return undefined;
}

type WriteOptions = RangeOptions & {
  readonly onInserted: (table: TableName, rows: number) => void;
  /** Called with a session of which a damaged row is left out, or a message has lost its parts. */
  readonly onDamaged: (sessionId: string) => void;
};

/**
 * @returns False if another process had inserted some of the rows in the meantime. What is missing
 * then has to be found anew, because those rows may belong to another state of their messages.
 */
async function writeMissing(
  from: LocatedStore,
  target: Target,
  plan: RangePlan & Pick<Range, "sessionIds">,
  options: WriteOptions,
): Promise<boolean> {
  const { store: to } = target;
  const { columnsOf, signal, onRows, onInserted } = options;
  const { presentIds, known, mixed } = plan;
  // Windows are made from all messages that are there. Those of one store alone say too little, or
  // something that the other does not hold.
  const isOwn = (id: string): boolean => known.has(id) || mixed.has(id);
  const missingParts = new MessagesMissingParts(from);
  const heads = new HeadBuilder();
  for (const name of readOrder.toReversed()) {
    // A power cut that keeps a row has to keep the rows below it.
    if (name === "sessions") {
      const unknown = [...plan.sessionIds].filter((id) => known.get(id) === undefined);
      // Another process may put other messages there, and break off.
      const isFree = (await target.isAlone()) || !(await occupiedNames(from, to, unknown)).length;
      if (!isFree) return false;
      target.inserted("messages", await claimMessages(from, to, plan, options));
    }
    if (name === "messages" || name === "sessions") await to.flush();
    const withHeads = (table: string): readonly string[] =>
      table === "messages" ? [...columnsOf(table), "head"] : columnsOf(table);
    const init = { columnsOf: withHeads, isNew: false, signal, onWritten: onRows };
    await using writer = new RowWriter(to.table(name), init);
    onRows(plan.present.get(name) ?? 0);
    const rows = rowsOf(from, name, columnsOf(name), plan);
    for await (const row of name === "messages" ? targetMessages(rows, plan, options) : rows) {
      signal?.throwIfAborted();
      if (name === "windows" && isOwn(String(row["session_id"]))) {
        onRows(1);
        continue;
      }
      if (name === "parts") {
        missingParts.addPart(row);
        heads.addPart(row);
      }
      if (name !== "messages") {
        await writer.add(row);
        continue;
      }
      const sessionId = String(row["session_id"]);
      if (await missingParts.has(row)) options.onDamaged(sessionId);
      // If the other store has the session, it may have parts that are not in this copy.
      await writer.add(presentIds.has(sessionId) ? row : { ...row, head: heads.of(row) });
    }
    await writer.finish();
    onInserted(name, writer.inserted);
    if (writer.present > 0) return false;
  }
  return true;
}

/**
 * Records whose the messages are that are there before their session's row, because another session
 * may arrive there.
 *
 * @returns How many rows record it.
 */
async function claimMessages(
  from: LocatedStore,
  to: Store,
  { known }: RangePlan,
  { now }: Pick<WriteOptions, "now">,
): Promise<number> {
  let claimed = 0;
  for (const [name, labels] of known) {
    const session = labels ? undefined : await loadNamedSession(from, name);
    if (session === undefined) continue;
    const live = [...session.live].filter(([id]) => session.ownIds.has(id));
    const digests = new Map(live.map(([id, { digest }]) => [id, digest]));
    claimed += await claimSharedMessages(
      to,
      session.labels,
      digests,
      BigInt(now().getTime()) * 1000n,
    );
  }
  return claimed;
}

async function* rowsOf(
  { store, names }: LocatedStore,
  name: TableName,
  columns: readonly string[],
  { rowIds }: RangePlan,
): AsyncGenerator<Row> {
  for await (const row of readRows(store.table(name), columns, rowIds.get(name) ?? [])) {
    yield names.renamed(name, row);
  }
}

/**
 * Messages as they are to be in the other store, and carriers of those that have to make room. A
 * damaged carrier is left out: it would hide what is shown there.
 */
async function* targetMessages(
  rows: AsyncGenerator<Row>,
  { known, added, moves }: RangePlan,
  { now, onDamaged }: Pick<WriteOptions, "now" | "onDamaged">,
): AsyncGenerator<Row> {
  const labels = new Map<string, Labels>();
  for await (const row of rows) {
    const sessionId = String(row["session_id"]);
    const place = added.get(keyText([sessionId, String(row["id"])]));
    if (place && row["revises"] !== null && !isWhole("messages", row)) {
      onDamaged(sessionId);
      continue;
    }
    // Labels are denormalised onto messages, so those that a store has first stay (spec 7.6).
    const message: Row = { ...(place ? addedRow(row, place) : row), ...known.get(sessionId) };
    const { source_agent = null, project = null } = message;
    labels.set(sessionId, { source_agent, project });
    yield message;
  }
  const at = BigInt(now().getTime()) * 1000n;
  for (const [sessionId, made] of moves) {
    for (const move of made) yield { ...movedRow(sessionId, move, at), ...labels.get(sessionId) };
  }
}
