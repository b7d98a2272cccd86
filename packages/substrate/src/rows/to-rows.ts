import type * as Arrow from "apache-arrow";
import type { Cell, Row, TableDeclaration } from "../declaration.ts";
import { arrow } from "../engine/arrow.ts";
import { fromSparse } from "./sparse-cells.ts";

/** Which rows of a batch: from the first up to another. */
type Span = { readonly from: number; readonly to: number };

/**
 * Converts one record batch to rows. Timestamps are exact to the microsecond.
 *
 * @param absent - Columns that are not stored: no row has a value there.
 */
export function toRows(
  table: TableDeclaration,
  batch: Arrow.RecordBatch,
  absent: readonly string[] = [],
  { from, to }: Span = { from: 0, to: batch.numRows },
): Row[] {
  const nulls: Row = Object.fromEntries(absent.map((name) => [name, null]));
  const rows: Row[] = Array.from({ length: to - from }, () => ({ ...nulls }));
  for (const [column, { name }] of batch.schema.fields.entries()) {
    const vector = batch.getChildAt(column);
    if (vector === null) continue;
    const read = cellsOf(vector);
    const isSparse = Object.hasOwn(table.columns, name) && table.columns[name]?.isSparse;
    const cellAt = isSparse ? (index: number): Cell => fromSparse(read(index)) : read;
    const hasNulls = vector.nullCount > 0;
    for (const [at, row] of rows.entries()) {
      const index = from + at;
      row[name] = hasNulls && !vector.isValid(index) ? null : cellAt(index);
    }
  }
  return rows;
}

// As text it takes up to twice that, and a tenth of a second.
const pieceBytes = 16 * 1024 * 1024;

/**
 * The same for a batch that may be large, about 16 MB of it at a time: who has read enough, or keeps
 * nothing of what came before, need not hold all of it as text.
 */
export function* toRowsInPieces(
  table: TableDeclaration,
  batch: Arrow.RecordBatch,
  absent: readonly string[],
): Generator<Row[]> {
  const pieces = Math.max(1, Math.ceil(bytesOf(batch) / pieceBytes));
  const length = Math.max(1, Math.ceil(batch.numRows / pieces));
  for (let from = 0; from < batch.numRows; from += length) {
    yield toRows(table, batch, absent, { from, to: Math.min(batch.numRows, from + length) });
  }
}

function bytesOf(batch: Arrow.RecordBatch): number {
  return batch.data.children.reduce((sum, { byteLength }) => sum + byteLength, 0);
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
