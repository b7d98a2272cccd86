import type { Output } from "./output.ts";
import type { SafeText } from "./safe-text.ts";
import { type Column, renderTable } from "./table.ts";

/** Prints a table as wide as the terminal allows. */
export function printTable(
  output: Output,
  columns: readonly Column[],
  rows: readonly (readonly SafeText[])[],
): void {
  const { width, style } = output;
  for (const line of renderTable(columns, rows, { width, titleStyle: style.faint })) {
    output.line(line);
  }
}
