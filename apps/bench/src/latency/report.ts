import { markdownTable } from "../shared/markdown-table.ts";
import { type LatencyRow, maxWarmMs } from "./measure.ts";
import type { IndexSize } from "./sizes.ts";

export type LatencyReport = {
  readonly machine: string;
  readonly messages: number;
  readonly textBytes: number;
  readonly isByMeaning: boolean;
  readonly rows: readonly LatencyRow[];
  readonly sizes: readonly IndexSize[];
};

const indexBar = 0.5;

/** As Markdown, for people and for `reports/`. */
export function printLatency(report: LatencyReport): void {
  const { machine, messages, textBytes, isByMeaning, rows, sizes } = report;
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0);
  const ms = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
  console.log(`## ${messages} searchable messages${isByMeaning ? ", by meaning too" : ""}\n`);
  console.log(`${megabytes(textBytes)} MB of text; ${machine}.`);
  console.log(`The bar: p50 under ${maxWarmMs(messages)} ms, and no slower than FTS5 trigram.\n`);
  console.log(
    markdownTable(
      [
        "query",
        "filter",
        "p50 ms",
        "p95",
        "CPU",
        "trigram p50",
        "CPU",
        "unicode61",
        "ratio",
        "bar",
      ],
      rows.map(({ kind, scope, pond, sqlite: { trigram, unicode61 }, ratio, isMet }) => [
        ...[kind, scope, ms(pond.p50Ms), ms(pond.p95Ms), ms(pond.cpuMs)],
        ...[ms(trigram.p50Ms), ms(trigram.cpuMs), ms(unicode61.p50Ms)],
        ...[`${ratio.toFixed(2)}x`, isMet ? "met" : "NOT MET"],
      ]),
    ),
  );
  console.log("");
  console.log(
    markdownTable(
      ["index", "MB", "of the text", "bar"],
      sizes.map(({ name, bytes, share }, at) => [
        ...[name, megabytes(bytes), `${share.toFixed(3)}x`],
        at > 0 ? "" : share <= indexBar ? "met" : `NOT MET (${indexBar}x)`,
      ]),
    ),
  );
  console.log("");
}
