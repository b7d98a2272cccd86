import type { Cell } from "../declaration.ts";

// Sixteen bytes that stand for no value in a sparse column. What begins with them is stored behind
// them, so any value can be; and null is null still, where it was stored before a column was sparse.
const mark = Buffer.from("pond: no value\u0000\u0000", "latin1");

/** A cell as a sparse column holds it. */
export function toSparse(cell: Cell): Cell {
  if (cell === null) return mark;
  return cell instanceof Uint8Array && isMarked(cell) ? Buffer.concat([mark, cell]) : cell;
}

/** What {@link toSparse} was given. */
export function fromSparse(cell: Cell): Cell {
  if (!(cell instanceof Uint8Array) || !isMarked(cell)) return cell;
  return cell.length === mark.length ? null : cell.subarray(mark.length);
}

function isMarked(bytes: Uint8Array): boolean {
  return bytes.length >= mark.length && mark.equals(bytes.subarray(0, mark.length));
}
