import type { LabelCounts, Statistics } from "@pond/sessions";
import type { IndexHealth, TableHealth } from "@pond/substrate";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import type { EmbeddingStatus } from "./embedding-status.ts";
import { printEmbeddings } from "./embedding-text.ts";
import { exitCodes } from "./exit-codes.ts";
import type { LastSessions } from "./last-sessions.ts";
import type { ClientStatus, MachineStatus } from "./machine-status.ts";
import { formatBytes, formatCount, formatCounted } from "./output/numbers.ts";
import { printTable } from "./output/print-table.ts";
import { joinSafe, type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import type { Column } from "./output/table.ts";
import { formatMoment, formatWhen } from "./output/time.ts";
import { padEnd } from "./output/width.ts";
import { wrapText } from "./output/wrap.ts";
import type { ScheduleStatus } from "./schedule/schedule-status.ts";
import { printFaultList } from "./sync-faults.ts";

const maxProjectsShown = 10;
const labelColumns = 10;

/** Prints what is known at once. */
export function printHead(
  context: Context,
  location: string,
  [sessions, messages, parts]: readonly [number, number, number],
): void {
  const counts = [
    formatCounted(sessions, "session"),
    formatCounted(messages, "message"),
    formatCounted(parts, "part"),
  ];
  printFact(context, "Store", safeLine(shortenHome(location, context.home)));
  printFact(context, "Holds", joinSafe(counts, ", "));
}

type Status = {
  readonly facts: Statistics;
  readonly embedding: EmbeddingStatus;
  readonly advice: readonly { readonly code: string; readonly message: string }[];
  readonly machine: MachineStatus;
  readonly last: LastSessions;
  /** True to list every project, however many there are. */
  readonly isWhole: boolean;
};

/** Prints what takes longer to find out. */
export function printStatus(context: Context, status: Status): void {
  const { output } = context;
  const { facts, embedding, machine } = status;
  printSize(context, facts);
  printCoverage(context, status);
  printFact(context, "Schedule", describeSchedule(context, machine.schedule));
  printClients(context, status);
  printProjects(context, status);
  printEmbeddings(output, facts, embedding);
  printTables(output, facts);
  output.line();
  const advice = [...status.advice, ...machine.advice];
  if (advice.length === 0) output.line(output.style.faint(safeText("Nothing needs doing.")));
  for (const { message } of advice) {
    const [first = safeText(""), ...others] = wrapText(safeLine(message), output.width - 2);
    output.line(safe`${output.style.warning(safeText("!"))} ${first}`);
    for (const line of others) output.line(safe`  ${line}`);
  }
  const total = machine.faults.length + machine.faults_omitted;
  printFaultList(context, machine.faults, total);
}

/** `Holds     5 sessions`, continued below itself if the terminal is narrow. */
function printFact({ output }: Context, label: string, fact: SafeText): void {
  const title = output.style.strong(padEnd(safeText(label), labelColumns));
  const [first = safeText(""), ...others] = wrapText(fact, output.width - labelColumns);
  output.line(safe`${title}${first}`);
  for (const line of others) output.line(safe`${padEnd(safeText(""), labelColumns)}${line}`);
}

function printSize(context: Context, { tables }: Statistics): void {
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  const inIndexes = tables
    .flatMap(({ indexes }) => indexes)
    .reduce((sum, index) => sum + index.bytes, 0);
  printFact(context, "Size", safe`${formatBytes(bytes)}, ${formatBytes(inIndexes)} of it indexes`);
}

/** How far each stage of a sync got, in order. */
function printCoverage(context: Context, { facts, embedding, machine, advice }: Status): void {
  const isBehind = advice.some(({ code }) => code === "indexes_behind");
  const { clients } = machine;
  const found = clients.reduce((sum, { sessions }) => sum + sessions, 0);
  const waiting = clients.reduce((sum, client) => sum + client.waiting, 0);
  const failed = clients.reduce((sum, client) => sum + client.failed, 0);
  const imported =
    found === 0
      ? safeText("no client's sessions are on this machine")
      : outOf(found - waiting - failed, found, "session", " on this machine");
  const unreadable = failed === 0 ? safeText("") : safe`, ${formatCount(failed)} not readable`;
  printFact(context, "Imported", safe`${imported}${unreadable}`);
  printFact(context, "Embedded", describeEmbedded(facts, embedding));
  const rows = facts.tables.reduce((sum, table) => sum + table.rows, 0);
  const unindexed = facts.tables.reduce((sum, table) => sum + unindexedRowsOf(table), 0);
  const few = isBehind || unindexed === 0 ? "" : "; the others are too few to slow a search";
  printFact(context, "Indexed", safe`${outOf(rows - unindexed, rows, "row")}${safeText(few)}`);
}

/** Rows that at least one index does not reach yet; that of vectors covers few on purpose. */
function unindexedRowsOf({ rows, indexes }: TableHealth): number {
  const all = indexes.filter(({ column }) => column !== "vector");
  return all.length === 0 ? rows : Math.max(...all.map(({ unindexedRows }) => unindexedRows));
}

function describeEmbedded({ searchable }: Statistics, embedding: EmbeddingStatus): SafeText {
  if (!embedding.enabled) return safe`off: ${safeLine(embedding.reason)}`;
  if ("error" in embedding) return safeText("off: the model cannot be used");
  return outOf(embedding.embedded, searchable, "message", " that search finds");
}

/** `5 of 8 sessions here (62 %)` */
function outOf(done: number, total: number, what: string, where: string = ""): SafeText {
  const share = total === 0 ? 100 : Math.floor((done / total) * 100);
  const all = formatCounted(total, what);
  return safe`${formatCount(done)} of ${all}${safeText(where)} (${share} %)`;
}

function describeSchedule(context: Context, schedule: ScheduleStatus | null): SafeText {
  if (schedule === null) return safeText("not known: `pond schedule status` says why");
  const { scheduler, every, last_run: last, next_run: next } = schedule;
  if (scheduler === null) return safeText("off: `pond schedule start` keeps the store up to date");
  const interval = every === null ? safeText("as its file says") : safe`every ${safeText(every)}`;
  const facts = [
    safe`${interval} with ${safeText(scheduler)}`,
    ...(last === null
      ? []
      : [safe`last run ${when(context, last.started_at)}, ${outcomeOf(last)}`]),
    ...(next === null ? [] : [safe`next run ${formatMoment(next)}`]),
  ];
  return joinSafe(facts, "; ");
}

function outcomeOf({ exit_code }: { readonly exit_code: number }): SafeText {
  if (exit_code === exitCodes.done) return safeText("done");
  return safeText(exit_code === exitCodes.doneWithFaults ? "done with faults" : "failed");
}

function when({ output, now }: Context, time: string | null | undefined): SafeText {
  if (time === null || time === undefined) return safeText("-");
  return output.isTerminal ? formatWhen(time, now()) : formatMoment(time);
}

/** The clients with sessions in the store, and those with some here. */
function printClients(context: Context, { facts, machine, last }: Status): void {
  const here = new Map(machine.clients.map((client) => [client.name, client]));
  const stored = Object.entries(facts.by_agent).sort(byMessages);
  const others = machine.clients.filter(
    (client) => isHere(client) && !Object.hasOwn(facts.by_agent, client.name),
  );
  const none: LabelCounts = { sessions: 0, messages: 0 };
  const rows = [...stored, ...others.map(({ name }): [string, LabelCounts] => [name, none])].map(
    ([name, { sessions, messages }]) => {
      const client: ClientStatus | undefined = here.get(name);
      return [
        safeLine(name),
        formatCount(sessions),
        formatCount(messages),
        when(context, last.byAgent.get(name)),
        when(context, client?.last_sync),
        client === undefined ? safeText("-") : formatCount(client.waiting),
        client === undefined ? safeText("-") : formatCount(client.pending),
        client === undefined ? safeText("-") : formatCount(client.faults),
      ];
    },
  );
  if (rows.length === 0) return;
  const columns = [
    { title: safeText("CLIENT"), minWidth: 8 },
    numberColumn("SESSIONS"),
    numberColumn("MESSAGES"),
    { ...numberColumn("LAST SESSION"), minTableWidth: 72 },
    numberColumn("LAST SYNC"),
    numberColumn("WAITING"),
    { ...numberColumn("PENDING"), minTableWidth: 90 },
    numberColumn("FAULTS"),
  ];
  context.output.line();
  printTable(context.output, columns, rows);
}

function isHere(client: ClientStatus | undefined): boolean {
  return client !== undefined && client.sessions + client.faults > 0;
}

function printProjects(context: Context, { facts, last, isWhole }: Status): void {
  const { output, home } = context;
  const sorted = Object.entries(facts.by_project).sort(byMessages);
  if (sorted.length === 0) return;
  const listed = isWhole || output.isVerbose ? sorted : sorted.slice(0, maxProjectsShown);
  const rows = listed.map(([name, { sessions, messages }]) => [
    formatCount(sessions),
    formatCount(messages),
    when(context, last.byProject.get(name)),
    safeLine(shortenHome(name, home)),
  ]);
  output.line();
  printTable(
    output,
    [
      numberColumn("SESSIONS"),
      numberColumn("MESSAGES"),
      numberColumn("LAST SESSION"),
      name(safeText("PROJECT")),
    ],
    rows,
  );
  const rest = sorted.length - listed.length;
  if (rest > 0) output.line(output.style.faint(safe`and ${formatCount(rest)} more: --all`));
}

function byMessages([, left]: [string, LabelCounts], [, right]: [string, LabelCounts]): number {
  return right.messages - left.messages;
}

/** One line for each table; with `-v` also one for each of its indexes. */
function printTables(output: Context["output"], { tables }: Statistics): void {
  const bytesOf = (table: TableHealth): number =>
    table.indexes.reduce((sum, { bytes }) => sum + bytes, 0);
  const rows = tables.map((table) => [
    formatCount(table.rows),
    formatBytes(table.bytes),
    formatBytes(bytesOf(table)),
    safeLine(table.name),
  ]);
  output.line();
  printTable(
    output,
    [numberColumn("ROWS"), numberColumn("SIZE"), numberColumn("INDEXES"), name(safeText("TABLE"))],
    rows,
  );
  if (!output.isVerbose) return;
  const indexes = tables.flatMap((table) =>
    table.indexes.map((index) => indexRow(`${table.name}.${index.column}`, index)),
  );
  output.line();
  printTable(
    output,
    [
      numberColumn("INDEXED"),
      numberColumn("WAITING"),
      numberColumn("SIZE"),
      name(safeText("INDEX")),
    ],
    indexes,
  );
}

function indexRow(
  label: string,
  index: Pick<IndexHealth, "indexedRows" | "unindexedRows" | "bytes">,
): SafeText[] {
  const { indexedRows, unindexedRows, bytes } = index;
  return [
    formatCount(indexedRows),
    formatCount(unindexedRows),
    formatBytes(bytes),
    safeLine(label),
  ];
}

function numberColumn(title: string): Column {
  return { title: safeText(title), align: "right" };
}

function name(title: SafeText): Column {
  return { title, minWidth: 12, cutAt: "start" };
}
