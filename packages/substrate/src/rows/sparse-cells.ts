import type { Cell, Cells } from "../declaration.ts";
import { TextCells } from "./text-cells.ts";

// What stands for no value in a sparse column. What begins with it is stored behind it, so any value
// can be; and null is null still, where it was stored before a column was sparse.
const noBytes = Buffer.from("pond: no value\u0000\u0000", "latin1");
// Two that are no characters: no index knows a word of them, so what has no text is found by none, and
// counts for no score.
const noText = "\ufffe\uffff";

/** A cell as a sparse column holds it. */
export function toSparse(cell: string): string;
export function toSparse(cell: Cell): Cell;
export function toSparse(cell: Cell): Cell {
  if (typeof cell === "string") return cell.startsWith(noText) ? noText + cell : cell;
  return cell instanceof Uint8Array && isMarked(cell) ? Buffer.concat([noBytes, cell]) : cell;
}

/** Cells as a sparse column of bytes or of text holds them. */
export function toSparseCells(cells: Cells, type: "bytes" | "text"): Cells {
  if (cells instanceof TextCells) return cells.marked(noText);
  const none = type === "bytes" ? noBytes : noText;
  return cells.map((cell) => (cell === null ? none : toSparse(cell)));
}

/** What {@link toSparseCells} was given, a cell at a time. */
export function fromSparse(cell: Cell): Cell {
  if (typeof cell === "string") {
    if (!cell.startsWith(noText)) return cell;
    return cell.length === noText.length ? null : cell.slice(noText.length);
  }
  if (!(cell instanceof Uint8Array) || !isMarked(cell)) return cell;
  return cell.length === noBytes.length ? null : cell.subarray(noBytes.length);
}

/**
 * What a condition compares in place of a sparse column: null where there is none. A value that begins
 * with what stands for none is compared with that in front of it: to look for that inside finds it.
 */
export function sparseSql(column: string, isText: boolean): string {
  return `NULLIF(${column}, ${noneSql(isText)})`;
}

/** What stands for none in a sparse column. */
export function noneSql(isText: boolean): string {
  return isText ? `'${noText}'` : `arrow_cast(X'${noBytes.toString("hex")}', 'LargeBinary')`;
}

function isMarked(bytes: Uint8Array): boolean {
  return bytes.length >= noBytes.length && noBytes.equals(bytes.subarray(0, noBytes.length));
}
