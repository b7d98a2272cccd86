import type { ColumnBatch, ColumnType, Row } from "./declaration.ts";
import { sizeOf } from "./rows/batch.ts";
import type { Store } from "./store.ts";
import type { Table } from "./table.ts";

const batchBytes = 32 * 1024 * 1024;

/**
 * Copies every row of the named tables by insert-if-absent. The copy is compact, can be repeated,
 * and has no indexes until it is folded.
 *
 * @returns Rows that were new in `to`, by table.
 * @throws {TypeError} if `to` is open in mode `read`.
 */
export async function copyStore(
  from: Store,
  to: Store,
  tables: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const copied: Record<string, number> = {};
  for (const name of tables) {
    const source = from.table(name);
    const columns = await columnsToCopy(source, to.table(name));
    let inserted = 0;
    for await (const rows of rebatch(source.scan({ columns }))) {
      inserted += (await to.table(name).insert(toColumns(columns, rows))).inserted;
    }
    copied[name] = inserted;
  }
  await to.flush();
  return copied;
}

/**
 * Every column, except derived ones if the vectors of the two stores differ in length: an empty
 * table takes over the other's length, any other has its own to compare with.
 */
async function columnsToCopy(from: Table, to: Table): Promise<string[]> {
  const { columns } = from.declaration;
  const derived = Object.keys(columns).filter((name) => columns[name]?.isDerived);
  const renewed: Record<string, ColumnType> = {};
  for (const name of derived) {
    const vector = await from.vectorDimension(name);
    if (vector !== (await to.vectorDimension(name)) && vector) renewed[name] = { vector };
  }
  if (Object.keys(renewed).length === 0) return Object.keys(columns);
  if ((await to.count()) > 0) {
    return Object.keys(columns).filter((name) => !derived.includes(name));
  }
  await to.renew(renewed);
  return Object.keys(columns);
}

/** The same rows in larger batches, because each batch becomes a commit. */
async function* rebatch(batches: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
  let rows: Row[] = [];
  let bytes = 0;
  for await (const batch of batches) {
    for (const row of batch) {
      rows.push(row);
      for (const cell of Object.values(row)) bytes += sizeOf(cell);
      if (bytes < batchBytes) continue;
      yield rows;
      rows = [];
      bytes = 0;
    }
  }
  if (rows.length > 0) yield rows;
}

function toColumns(columns: readonly string[], rows: readonly Row[]): ColumnBatch {
  return Object.fromEntries(columns.map((name) => [name, rows.map((row) => row[name] ?? null)]));
}
