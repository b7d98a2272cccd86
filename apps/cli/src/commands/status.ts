import type { LabelCounts, Statistics } from "@pond/sessions";
import type { IndexHealth } from "@pond/substrate";
import { Command } from "commander";
import { type Advice, adviseOn } from "../advice.ts";
import { type Context, withStore } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { exitCodes } from "../exit.ts";
import { formatBytes, formatCount, formatCounted } from "../output/numbers.ts";
import { type Shown, say, shown, shownLine } from "../output/shown.ts";
import { type Column, renderTable } from "../output/table.ts";
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
  const advice = adviseOn(facts);
  if (output.isJson) {
    output.jsonText(JSON.stringify({ ...facts, namespace: settings.namespace, advice }));
  } else {
    print(context, facts, advice);
  }
  return exitCodes.done;
}

function print(context: Context, facts: Statistics, advice: readonly Advice[]): void {
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
  printIndexes(output, facts);
  output.line();
  if (advice.length === 0) output.line(faint(shown("Nothing needs doing.")));
  for (const { message } of advice) output.line(say`${warning(shown("!"))} ${shown(message)}`);
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
  printTable(output, [number("SESSIONS"), number("MESSAGES"), name(title)], rows);
  const rest = sorted.length - listed.length;
  if (rest > 0) output.line(output.style.faint(say`and ${formatCount(rest)} more: -v`));
}

/** One line for each table; each index of its own with `-v`. */
function printIndexes(output: Context["output"], { tables }: Statistics): void {
  const rows = tables.flatMap((table) => {
    const { indexes } = table;
    const whole = {
      indexedRows: Math.min(table.rows, ...indexes.map(({ indexedRows }) => indexedRows)),
      unindexedRows: Math.max(0, ...indexes.map(({ unindexedRows }) => unindexedRows)),
      bytes: indexes.reduce((sum, { bytes }) => sum + bytes, 0),
    };
    const each = indexes.map((index) => indexRow(`${table.name}.${index.column}`, index));
    return output.isVerbose ? each : [indexRow(`${table.name} (${indexes.length})`, whole)];
  });
  printTable(
    output,
    [number("INDEXED"), number("WAITING"), number("SIZE"), name(shown("INDEXES"))],
    rows,
  );
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

function printTable(
  output: Context["output"],
  columns: readonly Column[],
  rows: readonly (readonly Shown[])[],
): void {
  const { width, style } = output;
  output.line();
  for (const line of renderTable(columns, rows, { width, titleStyle: style.faint })) {
    output.line(line);
  }
}
