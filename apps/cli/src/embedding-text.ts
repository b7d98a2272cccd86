import type { Coverage, EmbeddingStatus } from "./embedding-status.ts";
import { formatCount } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { printTable } from "./output/print-table.ts";
import { say, shown, shownLine } from "./output/shown.ts";
import type { Column } from "./output/table.ts";

const columns: readonly Column[] = [
  { title: shown("EMBEDDED"), align: "right" },
  { title: shown("SHARE"), align: "right" },
  { title: shown("MODEL"), minWidth: 12 },
];

/** Prints how many messages have a vector of each model; nothing if nobody ever asked for one. */
export function printEmbeddings(
  output: Output,
  { searchable, embeddings }: Coverage,
  status: EmbeddingStatus,
): void {
  const own = "model" in status ? status : undefined;
  const others = embeddings.filter(({ model }) => model !== own?.model);
  const counts = [...(own ? [{ model: own.model, messages: own.embedded }] : []), ...others];
  if (counts.length === 0) return;
  const rows = counts.map(({ model, messages }) => [
    formatCount(messages),
    shown(searchable === 0 ? "-" : `${Math.floor((messages / searchable) * 100)} %`),
    say`${shownLine(model)}${shown(own && model !== own.model ? " (another model)" : "")}`,
  ]);
  output.line();
  printTable(output, columns, rows);
  if (!status.enabled) {
    const reason = shownLine(status.reason);
    output.line(output.style.faint(say`Search goes by words alone: ${reason}.`));
  }
}
