import type { LabelCounts, Statistics } from "@pond/sessions";
import type { IndexHealth, TableHealth } from "@pond/substrate";
import { Command } from "commander";
import { type Context, withStore } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { type EmbeddingStatus, embeddingStatus } from "../embedding-status.ts";
import { printEmbeddings } from "../embedding-text.ts";
import { exitCodes } from "../exit.ts";
import { formatBytes, formatCount, formatCounted } from "../output/numbers.ts";
import { printTable } from "../output/print-table.ts";
import { type Shown, say, shown, shownLine } from "../output/shown.ts";
import type { Column } from "../output/table.ts";
import type { RunAction } from "../run.ts";

const labelsShown = 10;

export function statusCommand(run: RunAction): Command {
  return new Command("status")
    .description("show what is stored, how well it is indexed, and what needs doing")
    .action((_flags: unknown, command: Command) => run(command, status));
}

async function status(context: Context) {
  const { output, settings } = context;
  const facts = await withStore(context, "read", async (sessions) => {
    const { statistics } = await import("@pond/sessions");
    return await statistics(sessions);
  });
  const embedding = await embeddingStatus(context, facts);
  const { adviseOn } = await import("@pond/server");
  const advice = adviseOn(facts, embedding);
  if (output.isJson) {
    const { namespace } = settings;
    output.jsonText(JSON.stringify({ ...facts, namespace, embedding, advice }));
  } else {
    print(context, facts, embedding, advice);
  }
  return exitCodes.done;
}

function print(
  context: Context,
  facts: Statistics,
  embedding: EmbeddingStatus,
  advice: readonly { readonly message: string }[],
): void {
  const { output, home } = context;
  const { strong, faint, warning } = output.style;
  const bytes = facts.tables.reduce((sum, table) => sum + table.bytes, 0);
  output.line(say`${strong(shown("Store"))}     ${shownLine(shortenHome(facts.location, home))}`);
  const counts = [
    formatCounted(facts.sessions, "session"),
    formatCounted(facts.messages, "message"),
    formatCounted(facts.parts, "part"),
    formatBytes(bytes),
  ] as const;
  output.line(
    say`${strong(shown("Holds"))}     ${counts[0]}, ${counts[1]}, ${counts[2]}, ${counts[3]}`,
  );
  printCounts(output, shown("CLIENT"), facts.by_agent, home);
  printCounts(output, shown("PROJECT"), facts.by_project, home);
  printEmbeddings(output, facts, embedding);
  printIndexes(output, facts);
  output.line();
  if (advice.length === 0) output.line(faint(shown("Nothing needs doing.")));
  for (const { message } of advice) output.line(say`${warning(shown("!"))} ${shownLine(message)}`);
}

function printCounts(
  output: Context["output"],
  title: Shown,
  counts: Readonly<Record<string, LabelCounts>>,
  home: string,
): void {
  const sorted = Object.entries(counts).sort(
    ([, left], [, right]) => right.messages - left.messages,
  );
  if (sorted.length === 0) return;
  const listed = output.isVerbose ? sorted : sorted.slice(0, labelsShown);
  const rows = listed.map(([name, { sessions, messages }]) => [
    formatCount(sessions),
    formatCount(messages),
    shownLine(shortenHome(name, home)),
  ]);
  output.line();
  printTable(output, [number("SESSIONS"), number("MESSAGES"), name(title)], rows);
  const rest = sorted.length - listed.length;
  if (rest > 0) output.line(output.style.faint(say`and ${formatCount(rest)} more: -v`));
}

/** One line for each table, and for its vectors; each index of its own with `-v`. */
function printIndexes(output: Context["output"], { tables }: Statistics): void {
  const rows = tables.flatMap((table) => {
    // The index of vectors covers the few rows that have one, and says nothing of the others.
    const isApart = ({ column }: IndexHealth): boolean => output.isVerbose || column === "vector";
    const apart = table.indexes.filter(isApart);
    const together = table.indexes.filter((index) => !isApart(index));
    return [
      ...(output.isVerbose ? [] : [wholeRow(table, together)]),
      ...apart.map((index) => indexRow(`${table.name}.${index.column}`, index)),
    ];
  });
  output.line();
  printTable(
    output,
    [number("INDEXED"), number("WAITING"), number("SIZE"), name(shown("INDEXES"))],
    rows,
  );
}

/** As far as the index that is furthest behind. */
function wholeRow({ name, rows }: TableHealth, indexes: readonly IndexHealth[]): Shown[] {
  return indexRow(`${name} (${indexes.length})`, {
    indexedRows: Math.min(rows, ...indexes.map(({ indexedRows }) => indexedRows)),
    unindexedRows: Math.max(0, ...indexes.map(({ unindexedRows }) => unindexedRows)),
    bytes: indexes.reduce((sum, { bytes }) => sum + bytes, 0),
  });
}

function indexRow(
  label: string,
  index: Pick<IndexHealth, "indexedRows" | "unindexedRows" | "bytes">,
): Shown[] {
  const { indexedRows, unindexedRows, bytes } = index;
  return [
    formatCount(indexedRows),
    formatCount(unindexedRows),
    formatBytes(bytes),
    shownLine(label),
  ];
}

function number(title: string): Column {
  return { title: shown(title), align: "right" };
}

function name(title: Shown): Column {
  return { title, minWidth: 12, cutAt: "start" };
}
