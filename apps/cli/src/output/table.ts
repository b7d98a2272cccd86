import { joinSafe, type SafeText } from "./safe-text.ts";
import { cut, cutSafely, cutStart, maxWidthOf, padEnd, padStart, widthOf } from "./width.ts";

export type Column = {
  readonly title: SafeText;
  readonly align?: "left" | "right";
  /** The column may be cut down to this many columns; without it, it is always whole. */
  readonly minWidth?: number;
  /** Which end to leave out. */
  readonly cutAt?: "start" | "end";
  readonly style?: (text: SafeText) => SafeText;
  /** The column is left out if the table is narrower than this. */
  readonly minTableWidth?: number;
};

const columnGap = "  ";

/** Lines of a table at most `width` columns wide, as far as its columns may be cut. */
export function renderTable(
  allColumns: readonly Column[],
  allRows: readonly (readonly SafeText[])[],
  {
    width,
    titleStyle,
  }: { readonly width: number; readonly titleStyle: (text: SafeText) => SafeText },
): SafeText[] {
  const isKept = (_: unknown, at: number): boolean => width >= (allColumns[at]?.minTableWidth ?? 0);
  const columns = allColumns.filter(isKept);
  const rows = allRows.map((cells) => cells.filter(isKept));
  const widths = fit(columns, rows, width);
  const last = columns.length - 1;
  const line = (cells: readonly SafeText[], isTitle: boolean): SafeText => {
    let room = width;
    const placed = columns.map((column, at) => {
      const isLast = at === last;
      const cell = place(column, cells[at], widths[at] ?? 0, isLast);
      const { minWidth } = column;
      const isCut = isLast && minWidth !== undefined;
      const whole = isCut ? cutSafely(cell, Math.max(minWidth, room)) : cell;
      room -= maxWidthOf(cell) + columnGap.length;
      return isTitle ? titleStyle(whole) : (column.style?.(whole) ?? whole);
    });
    return joinSafe(placed, columnGap);
  };
  const titles = columns.map(({ title }) => title);
  return [line(titles, true), ...rows.map((cells) => line(cells, false))];
}

function place(
  column: Column,
  cell: SafeText | undefined,
  width: number,
  isLast: boolean,
): SafeText {
  const short = (column.cutAt === "start" ? cutStart : cut)(cell ?? column.title, width);
  if (column.align === "right") return padStart(short, width);
  return isLast ? short : padEnd(short, width);
}

/** The widest column that may shrink shrinks first. */
function fit(columns: readonly Column[], rows: readonly (readonly SafeText[])[], width: number) {
  const widths = columns.map(({ title }, at) =>
    rows.reduce((most, cells) => Math.max(most, widthOf(cells[at] ?? "")), widthOf(title)),
  );
  const least = columns.map(({ minWidth }, at) => minWidth ?? widths[at] ?? 0);
  const gaps = columnGap.length * (columns.length - 1);
  let excess = widths.reduce((sum, each) => sum + each, gaps) - width;
  while (excess > 0) {
    const room = widths.map((each, at) => each - (least[at] ?? 0));
    const candidates = widths.map((each, at) => ((room[at] ?? 0) > 0 ? each : 0));
    const widest = candidates.indexOf(Math.max(...candidates));
    if ((candidates[widest] ?? 0) === 0) break;
    const second = Math.max(0, ...candidates.filter((_, at) => at !== widest));
    const current = widths[widest] ?? 0;
    const step = Math.min(excess, room[widest] ?? 0, Math.max(1, current - second));
    widths[widest] = current - step;
    excess -= step;
  }
  return widths;
}
