import type * as Arrow from "apache-arrow";
import { arrow } from "./arrow.ts";
import type { Cell, Row } from "./declaration.ts";

/** The rows of one record batch; timestamps exact to the microsecond. */
export function toRows(batch: Arrow.RecordBatch): Row[] {
  const rows: Row[] = Array.from({ length: batch.numRows }, () => ({}));
  for (const [column, { name, type }] of batch.schema.fields.entries()) {
    const vector = batch.getChildAt(column);
    if (vector === null) continue;
    // Arrow would turn microseconds into a double of milliseconds.
    const micros: unknown = arrow.DataType.isTimestamp(type) ? vector.data[0]?.values : undefined;
    const cellAt = micros instanceof BigInt64Array ? (index: number) => micros[index] : undefined;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index];
      if (row === undefined) continue;
      const value: unknown = cellAt ? cellAt(index) : vector.get(index);
      row[name] = vector.isValid(index) ? toCell(value) : null;
    }
  }
  return rows;
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
