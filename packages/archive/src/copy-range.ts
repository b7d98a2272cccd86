import type { Row, Store } from "@pond/substrate";
import type { PlacedStore } from "./places.ts";
import { type Labels, planRange, type RangePlan } from "./plan-range.ts";
import type { Range } from "./ranges.ts";
import { readRows } from "./read-rows.ts";
import { RowWriter } from "./row-writer.ts";
import { readOrder, type TableName } from "./tables.ts";
import type { Target } from "./target.ts";

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
  readonly onRows: (rows: number) => void;
};

export type CopiedRange = Pick<RangePlan, "differing" | "mixed"> & {
  readonly tables: ReadonlyMap<string, RowCounts>;
};

/**
 * Copies what another store lacks of a range. Sessions come last, so that whatever breaks it off
 * leaves no session in part.
 */
export async function copyRange(
  from: PlacedStore,
  to: Target,
  range: Range,
  options: RangeOptions,
): Promise<CopiedRange> {
  const inserted = new Map<TableName, number>();
  const add = (table: TableName, rows: number): void => {
    inserted.set(table, (inserted.get(table) ?? 0) + rows);
    to.inserted(table, rows);
  };
  let places = await to.placesOf(range);
  for (;;) {
    const before = new Map(inserted);
    const plan = await planRange(from, { store: to.store, places }, range, options.signal);
    if (await writeMissing(from.store, to.store, plan, options, add)) {
      const { differing, mixed, present } = plan;
      const tables = readOrder.toReversed().map((name): [string, RowCounts] => {
        // What an earlier attempt inserted was there for the last.
        const own = (present.get(name) ?? 0) - (before.get(name) ?? 0);
        return [name, { inserted: inserted.get(name) ?? 0, present: own }];
      });
      return { tables: new Map(tables), differing, mixed };
    }
    places = await to.lookAgain(range);
  }
}

/**
 * @returns False where another process had meanwhile inserted rows that were to be: what is missing
 *   has to be found anew, for they may be of another state of their messages.
 */
async function writeMissing(
  from: Store,
  to: Store,
  plan: RangePlan,
  { columnsOf, signal, onRows }: RangeOptions,
  onInserted: (table: TableName, rows: number) => void,
): Promise<boolean> {
  const { known, mixed } = plan;
  // Windows are made of all messages that are there, so those of the one store say too little, or
  // what the other does not hold.
  const isOwn = (id: string): boolean => known.has(id) || mixed.has(id);
  for (const name of readOrder.toReversed()) {
    // A power cut that keeps a row has to keep what is below it.
    if (name === "messages" || name === "sessions") await to.flush();
    const columns = columnsOf(name);
    const init = { columns, isNew: false, signal, onWritten: onRows };
    const writer = new RowWriter(to.table(name), init);
    onRows(plan.present.get(name) ?? 0);
    for await (const row of readRows(from.table(name), columns, plan.rowIds.get(name) ?? [])) {
      signal?.throwIfAborted();
      if (name === "windows" && isOwn(String(row["session_id"]))) {
        onRows(1);
        continue;
      }
      if (name === "messages") relabel(row, known.get(String(row["session_id"])));
      await writer.add(row);
    }
    await writer.finish();
    onInserted(name, writer.inserted);
    if (writer.present > 0) return false;
  }
  return true;
}

/** Labels are denormalised onto messages, so the first ones a store has stay (spec 7.6). */
function relabel(row: Row, labels: Labels | undefined): void {
  if (labels === undefined) return;
  row["source_agent"] = String(labels.sourceAgent);
  row["project"] = String(labels.project);
}
