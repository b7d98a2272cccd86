/** One line of the report: what was measured, and the bar or baseline for it. */
export type Measure = {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** What it is compared with, in the same run, and the ratio of the value to that. */
  readonly baseline?: { readonly name: string; readonly ratio: number };
  readonly bar?: { readonly text: string; readonly isMet: boolean };
};

export function printTable(measures: readonly Measure[]): void {
  const rows = measures.map(({ what, value, unit, baseline, bar }) => [
    what,
    `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`,
    baseline === undefined ? "" : `${baseline.ratio.toFixed(2)}x of ${baseline.name}`,
    bar?.text ?? "",
    bar === undefined ? "" : bar.isMet ? "met" : "NOT MET",
  ]);
  const all = [["what", "value", "against", "bar", ""], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of all) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    console.log(cells.join("  ").trimEnd());
  }
}
