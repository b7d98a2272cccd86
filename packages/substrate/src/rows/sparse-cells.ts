import type { Cell, Cells } from "../declaration.ts";
import { TextCells } from "./text-cells.ts";

// The marker for no value in a sparse column of bytes. A value that begins with it gets another
// marker in front, so any value can be stored. A null that was stored before the column was sparse
// is still null.
const noBytes = Buffer.from("pond: no value\u0000\u0000", "latin1");
// Two code points that are not characters. No index has a word for them, so a row without text is
// never found and does not count for scores.
const noText = "\ufffe\uffff";

/** A cell in the form in which a sparse column holds it. */
export function toSparse(cell: string): string;
export function toSparse(cell: Cell): Cell;
export function toSparse(cell: Cell): Cell {
  if (typeof cell === "string") return cell.startsWith(noText) ? noText + cell : cell;
  return cell instanceof Uint8Array && isMarked(cell) ? Buffer.concat([noBytes, cell]) : cell;
}

/** Cells in the form in which a sparse column of bytes or text holds them. */
export function toSparseCells(cells: Cells, type: "bytes" | "text"): Cells {
  if (cells instanceof TextCells) return cells.marked(noText);
  const none = type === "bytes" ? noBytes : noText;
  return cells.map((cell) => (cell === null ? none : toSparse(cell)));
}

/** Reverses {@link toSparseCells}, one cell at a time. */
export function fromSparse(cell: Cell): Cell {
  if (typeof cell === "string") {
    if (!cell.startsWith(noText)) return cell;
    return cell.length === noText.length ? null : cell.slice(noText.length);
  }
  if (!(cell instanceof Uint8Array) || !isMarked(cell)) return cell;
  return cell.length === noBytes.length ? null : cell.subarray(noBytes.length);
}

/**
 * The expression that a condition uses for a sparse column: null if there is no value. A value that
 * begins with the marker is compared including the extra marker in front; a search for contained
 * text finds it all the same.
 */
export function sparseSql(column: string, isText: boolean): string {
  return `NULLIF(${column}, ${noneSql(isText)})`;
}

/** The SQL literal of the marker for no value. */
export function noneSql(isText: boolean): string {
  return isText ? `'${noText}'` : `arrow_cast(X'${noBytes.toString("hex")}', 'LargeBinary')`;
}

function isMarked(bytes: Uint8Array): boolean {
  return bytes.length >= noBytes.length && noBytes.equals(bytes.subarray(0, noBytes.length));
}
