import type * as Arrow from "apache-arrow";
import type { Cell, Row, TableDeclaration } from "../declaration.ts";
import { arrow } from "../engine/arrow.ts";
import { fromSparse } from "./sparse-cells.ts";

/**
 * Converts one record batch to rows. Timestamps are exact to the microsecond.
 *
 * @param absent - Columns that are not stored: no row has a value there.
 */
export function toRows(
  table: TableDeclaration,
  batch: Arrow.RecordBatch,
  absent: readonly string[] = [],
): Row[] {
  const nulls: Row = Object.fromEntries(absent.map((name) => [name, null]));
  const rows: Row[] = Array.from({ length: batch.numRows }, () => ({ ...nulls }));
  for (const [column, { name }] of batch.schema.fields.entries()) {
    const vector = batch.getChildAt(column);
    if (vector === null) continue;
    const read = cellsOf(vector);
    const isSparse = Object.hasOwn(table.columns, name) && table.columns[name]?.isSparse;
    const cellAt = isSparse ? (index: number): Cell => fromSparse(read(index)) : read;
    const hasNulls = vector.nullCount > 0;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index];
      if (row === undefined) continue;
      row[name] = hasNulls && !vector.isValid(index) ? null : cellAt(index);
    }
  }
  return rows;
}

/**
 * Reads the cells of a stored column. Text and integers, which are most of what is read, bypass
 * Arrow.
 */
function cellsOf(vector: Arrow.Vector): (index: number) => Cell {
  const values: unknown = vector.data[0]?.values;
  const offsets: unknown = vector.data[0]?.valueOffsets;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    // Arrow would turn microseconds into a double of milliseconds.
    return (index) => values[index] ?? null;
  }
  if (arrow.DataType.isUtf8(vector.type) && values instanceof Uint8Array) {
    if (offsets instanceof Int32Array) return textAt(values, offsets);
  }
  return (index) => toCell(vector.get(index));
}

/** Arrow would drop a byte order mark, and takes twice as long. */
function textAt(values: Uint8Array, offsets: Int32Array): (index: number) => string {
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return (index) => bytes.toString("utf8", offsets[index], offsets[index + 1]);
}

function toCell(value: unknown): Cell {
  if (value instanceof arrow.Vector) return Float32Array.from(value);
  switch (typeof value) {
    case "string":
    case "bigint":
    case "number":
      return value;
  }
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`no cell holds a ${typeof value}`);
}
