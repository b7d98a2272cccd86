import type { Coverage, EmbeddingStatus } from "./embedding-status.ts";
import { formatCount } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { printTable } from "./output/print-table.ts";
import { safe, safeLine, safeText } from "./output/safe-text.ts";
import type { Column } from "./output/table.ts";

const columns: readonly Column[] = [
  { title: safeText("EMBEDDED"), align: "right" },
  { title: safeText("SHARE"), align: "right" },
  { title: safeText("MODEL"), minWidth: 12 },
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
    safeText(searchable === 0 ? "-" : `${Math.floor((messages / searchable) * 100)} %`),
    safe`${safeLine(model)}${safeText(own && model !== own.model ? " (another model)" : "")}`,
  ]);
  output.line();
  printTable(output, columns, rows);
  if (!status.enabled) {
    const reason = safeLine(status.reason);
    output.line(output.style.faint(safe`Search goes by words alone: ${reason}.`));
  }
}
