import type { Cell, Cells } from "../declaration.ts";
import { TextCells } from "./text-cells.ts";

// The marker for no value in a sparse column of bytes. A value that begins with it gets another
// marker in front, so any value can be stored. A null that was stored before the column was sparse
// is still null.
const noBytesMarker = Buffer.from("pond: no value\u0000\u0000", "latin1");
// Two code points that are not characters. No index has a word for them, so a row without text is
// never found and does not count for scores.
const noTextMarker = "\ufffe\uffff";

/** A cell in the form in which a sparse column holds it. */
export function toSparse(cell: string): string;
export function toSparse(cell: Cell): Cell;
export function toSparse(cell: Cell): Cell {
  if (typeof cell === "string") return cell.startsWith(noTextMarker) ? noTextMarker + cell : cell;
  return cell instanceof Uint8Array && isMarked(cell) ? Buffer.concat([noBytesMarker, cell]) : cell;
}

/** Cells in the form in which a sparse column of bytes or text holds them. */
export function toSparseCells(cells: Cells, type: "bytes" | "text"): Cells {
  if (cells instanceof TextCells) return cells.marked(noTextMarker);
  const none = type === "bytes" ? noBytesMarker : noTextMarker;
  return cells.map((cell) => (cell === null ? none : toSparse(cell)));
}

/** Reverses {@link toSparseCells}, one cell at a time. */
export function fromSparse(cell: Cell): Cell {
  if (typeof cell === "string") {
    if (!cell.startsWith(noTextMarker)) return cell;
    return cell.length === noTextMarker.length ? null : cell.slice(noTextMarker.length);
  }
  if (!(cell instanceof Uint8Array) || !isMarked(cell)) return cell;
  return cell.length === noBytesMarker.length ? null : cell.subarray(noBytesMarker.length);
}

/**
 * The expression that a condition uses for a sparse column: null if there is no value. A value that
 * begins with the marker is compared including the extra marker in front; a search for contained
 * text finds it all the same.
 */
export function sparseSql(column: string, isText: boolean): string {
  return `NULLIF(${column}, ${noValueSql(isText)})`;
}

/** The SQL literal of the marker for no value. */
export function noValueSql(isText: boolean): string {
  return isText
    ? `'${noTextMarker}'`
    : `arrow_cast(X'${noBytesMarker.toString("hex")}', 'LargeBinary')`;
}

function isMarked(bytes: Uint8Array): boolean {
  return (
    bytes.length >= noBytesMarker.length &&
    noBytesMarker.equals(bytes.subarray(0, noBytesMarker.length))
  );
}
