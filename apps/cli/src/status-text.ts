import type { LabelCounts, Statistics } from "@pond/sessions";
import type { IndexHealth, TableHealth } from "@pond/substrate";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import type { EmbeddingStatus } from "./embedding-status.ts";
import { printEmbeddings } from "./embedding-text.ts";
import { exitCodes } from "./exit.ts";
import type { LastSessions } from "./last-sessions.ts";
import type { ClientStatus, MachineStatus } from "./machine-status.ts";
import { formatBytes, formatCount, formatCounted } from "./output/numbers.ts";
import { printTable } from "./output/print-table.ts";
import { joined, type Shown, say, shown, shownLine } from "./output/shown.ts";
import type { Column } from "./output/table.ts";
import { formatMoment, formatWhen } from "./output/time.ts";
import { padEnd } from "./output/width.ts";
import { wrapText } from "./output/wrap.ts";
import type { ScheduleStatus } from "./schedule/schedule-status.ts";
import { printFaultList } from "./sync-faults.ts";

const projectsShown = 10;
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
  printFact(context, "Store", shownLine(shortenHome(location, context.home)));
  printFact(context, "Holds", joined(counts, ", "));
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
  if (advice.length === 0) output.line(output.style.faint(shown("Nothing needs doing.")));
  for (const { message } of advice) {
    const [first = shown(""), ...others] = wrapText(shownLine(message), output.width - 2);
    output.line(say`${output.style.warning(shown("!"))} ${first}`);
    for (const line of others) output.line(say`  ${line}`);
  }
  const total = machine.faults.length + machine.faults_omitted;
  printFaultList(context, machine.faults, total);
}

/** `Holds     5 sessions`, continued below itself if the terminal is narrow. */
function printFact({ output }: Context, label: string, fact: Shown): void {
  const title = output.style.strong(padEnd(shown(label), labelColumns));
  const [first = shown(""), ...others] = wrapText(fact, output.width - labelColumns);
  output.line(say`${title}${first}`);
  for (const line of others) output.line(say`${padEnd(shown(""), labelColumns)}${line}`);
}

function printSize(context: Context, { tables }: Statistics): void {
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
  const inIndexes = tables
    .flatMap(({ indexes }) => indexes)
    .reduce((sum, index) => sum + index.bytes, 0);
  printFact(context, "Size", say`${formatBytes(bytes)}, ${formatBytes(inIndexes)} of it indexes`);
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
      ? shown("no client's sessions are on this machine")
      : outOf(found - waiting - failed, found, "session", " on this machine");
  const unreadable = failed === 0 ? shown("") : say`, ${formatCount(failed)} not readable`;
  printFact(context, "Imported", say`${imported}${unreadable}`);
  printFact(context, "Embedded", describeEmbedded(facts, embedding));
  const rows = facts.tables.reduce((sum, table) => sum + table.rows, 0);
  const unindexed = facts.tables.reduce((sum, table) => sum + waitingOf(table), 0);
  const few = isBehind || unindexed === 0 ? "" : "; the others are too few to slow a search";
  printFact(context, "Indexed", say`${outOf(rows - unindexed, rows, "row")}${shown(few)}`);
}

/** Rows that at least one index does not reach yet; that of vectors covers few on purpose. */
function waitingOf({ rows, indexes }: TableHealth): number {
  const all = indexes.filter(({ column }) => column !== "vector");
  return all.length === 0 ? rows : Math.max(...all.map(({ unindexedRows }) => unindexedRows));
}

function describeEmbedded({ searchable }: Statistics, embedding: EmbeddingStatus): Shown {
  if (!embedding.enabled) return say`off: ${shownLine(embedding.reason)}`;
  if ("error" in embedding) return shown("off: the model cannot be used");
  return outOf(embedding.embedded, searchable, "message", " that search finds");
}

/** `5 of 8 sessions here (62 %)` */
function outOf(done: number, total: number, what: string, where: string = ""): Shown {
  const share = total === 0 ? 100 : Math.floor((done / total) * 100);
  const all = formatCounted(total, what);
  return say`${formatCount(done)} of ${all}${shown(where)} (${share} %)`;
}

function describeSchedule(context: Context, schedule: ScheduleStatus | null): Shown {
  if (schedule === null) return shown("not known: `pond schedule status` says why");
  const { scheduler, every, last_run: last, next_run: next } = schedule;
  if (scheduler === null) return shown("off: `pond schedule start` keeps the store up to date");
  const often = every === null ? shown("as its file says") : say`every ${shown(every)}`;
  const facts = [
    say`${often} with ${shown(scheduler)}`,
    ...(last === null ? [] : [say`last run ${when(context, last.started_at)}, ${endOf(last)}`]),
    ...(next === null ? [] : [say`next run ${formatMoment(next)}`]),
  ];
  return joined(facts, "; ");
}

function endOf({ exit_code }: { readonly exit_code: number }): Shown {
  if (exit_code === exitCodes.done) return shown("done");
  return shown(exit_code === exitCodes.doneWithFaults ? "done with faults" : "failed");
}

function when({ output, now }: Context, time: string | null | undefined): Shown {
  if (time === null || time === undefined) return shown("-");
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
        shownLine(name),
        formatCount(sessions),
        formatCount(messages),
        when(context, last.byAgent.get(name)),
        when(context, client?.last_sync),
        client === undefined ? shown("-") : formatCount(client.waiting),
        client === undefined ? shown("-") : formatCount(client.pending),
        client === undefined ? shown("-") : formatCount(client.faults),
      ];
    },
  );
  if (rows.length === 0) return;
  const columns = [
    { title: shown("CLIENT"), minWidth: 8 },
    number("SESSIONS"),
    number("MESSAGES"),
    { ...number("LAST SESSION"), leastTableWidth: 72 },
    number("LAST SYNC"),
    number("WAITING"),
    { ...number("PENDING"), leastTableWidth: 90 },
    number("FAULTS"),
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
  const listed = isWhole || output.isVerbose ? sorted : sorted.slice(0, projectsShown);
  const rows = listed.map(([name, { sessions, messages }]) => [
    formatCount(sessions),
    formatCount(messages),
    when(context, last.byProject.get(name)),
    shownLine(shortenHome(name, home)),
  ]);
  output.line();
  printTable(
    output,
    [number("SESSIONS"), number("MESSAGES"), number("LAST SESSION"), name(shown("PROJECT"))],
    rows,
  );
  const rest = sorted.length - listed.length;
  if (rest > 0) output.line(output.style.faint(say`and ${formatCount(rest)} more: --all`));
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
    shownLine(table.name),
  ]);
  output.line();
  printTable(
    output,
    [number("ROWS"), number("SIZE"), number("INDEXES"), name(shown("TABLE"))],
    rows,
  );
  if (!output.isVerbose) return;
  const indexes = tables.flatMap((table) =>
    table.indexes.map((index) => indexRow(`${table.name}.${index.column}`, index)),
  );
  output.line();
  printTable(
    output,
    [number("INDEXED"), number("WAITING"), number("SIZE"), name(shown("INDEX"))],
    indexes,
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
