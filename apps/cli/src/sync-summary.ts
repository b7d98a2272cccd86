import type { Accounting, AdapterReport, EmbedReport, SyncReport } from "@pond/sync";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { formatCount, formatCounted, formatDuration } from "./output/numbers.ts";
import { printWrapped } from "./output/print-wrapped.ts";
import { joinSafe, type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import { padEnd, widthOf } from "./output/width.ts";
import { wrapText } from "./output/wrap.ts";
import { printFaults } from "./sync-faults.ts";

const gap = "  ";

export type SummaryOptions = {
  readonly isPreview: boolean;
  /** What to say about clients that are not here. */
  readonly missing: readonly SafeText[];
};

/**
 * What a sync did, to be read in two seconds: a line for each client that has sessions here, then
 * what went wrong.
 */
export function printSync(
  context: Context,
  report: SyncReport,
  { isPreview, missing }: SummaryOptions,
): void {
  const { output, settings, home } = context;
  const { adapters } = report;
  if (output.isQuiet) {
    printFaults(context, report);
    return;
  }
  const found = adapters.filter(({ sessions, faults }) => sessions.seen + faults.length > 0);
  const listed = output.isVerbose || found.length === 0 ? adapters : found;
  const nameWidth = Math.max(0, ...listed.map(({ name }) => widthOf(name)));
  for (const adapter of listed) {
    const name = output.style.strong(padEnd(safeLine(adapter.name), nameWidth));
    const width = output.width - nameWidth - gap.length;
    const [first = safeText(""), ...others] = wrapText(describe(adapter, isPreview), width);
    output.line(safe`${name}${safeText(gap)}${first}`);
    const below = padEnd(safeText(""), nameWidth + gap.length);
    const sums = output.isVerbose && !isPreview ? [describeAccounting(adapter.accounting)] : [];
    for (const line of [...others, ...sums.flatMap((sum) => wrapText(sum, width))]) {
      output.line(safe`${below}${line}`);
    }
  }
  const { embedding } = report;
  const changed = adapters.reduce((sum, { sessions }) => sum + sessions.new + sessions.grown, 0);
  if (embedding && isPreview && embedding.remaining + changed > 0) {
    printWrapped(output, describeBacklog(embedding, changed));
  } else if (embedding && embedding.embedded + embedding.remaining > 0) {
    printWrapped(output, describeEmbedding(embedding));
  }
  printFaults(context, report);
  if (adapters.length > 0) for (const each of missing) printWrapped(output, each);
  const folded = report.indexes.filter(({ folded, created }) => folded || created.length > 0);
  const indexes =
    folded.length > 0
      ? safe`, indexes updated: ${safeLine(folded.map(({ table }) => table).join(", "))}`
      : safeText("");
  const where = safeLine(shortenHome(settings.location, home));
  const time = formatDuration(report.duration_ms);
  const line = isPreview
    ? safe`Nothing was read or stored. The store is ${where}.`
    : safe`Stored in ${where} (${time}${indexes}).`;
  for (const each of wrapText(line, output.width)) output.line(output.style.faint(each));
}

/** `2,228 sessions: 12 new, 1 grown, +1,204 messages` */
function describe(report: AdapterReport, isPreview: boolean): SafeText {
  const { sessions } = report;
  const total = formatCounted(sessions.seen, "session");
  const facts = [
    ...count(sessions.new, "new"),
    ...count(sessions.grown, isPreview ? "changed" : "grown"),
    ...(report.messages_added > 0
      ? [safe`+${formatCounted(report.messages_added, "message")}`]
      : []),
    ...count(report.revisions, "revised"),
    ...count(report.tombstones, "gone from the source, still stored"),
    ...count(report.mended, "mended"),
    ...count(report.deferred, "changes left for the next sync"),
    ...count(report.rejected, "with another project than stored, which stays"),
    ...count(sessions.pending, "still being written"),
    ...count(sessions.failed, "not readable"),
  ];
  const isIdle = sessions.new + sessions.grown === 0;
  if (facts.length === 0) return safe`${total}, nothing new`;
  return safe`${total}: ${isIdle ? safeText("nothing new, ") : safeText("")}${joinSafe(facts, ", ")}`;
}

/** `1,204 records read = 1,190 stored (312 of them carried whole) + 4 faulted + 10 pending` */
function describeAccounting(accounting: Accounting): SafeText {
  const { read, stored, carried, faulted, pending, sessions_uncounted } = accounting;
  const sum = [
    safe`${formatCount(stored)} stored${joinSafe(
      count(carried, "of them carried whole").map((text) => safe` (${text})`),
      "",
    )}`,
    safe`${formatCount(faulted)} faulted`,
    safe`${formatCount(pending)} pending`,
  ];
  const sign = safeText(stored + faulted + pending === read ? " = " : ", but not ");
  const facts = [safe`${formatCounted(read, "record")} read${sign}${joinSafe(sum, " + ")}`];
  if (sessions_uncounted > 0) {
    facts.push(
      safe`${formatCounted(sessions_uncounted, "session")} of a reader that does not count`,
    );
  }
  return joinSafe(facts, "; ");
}

function count(value: number, what: string): SafeText[] {
  return value === 0 ? [] : [safe`${formatCount(value)} ${safeText(what)}`];
}

/** `1,204 stored messages to embed by multilingual-e5-small#0123, and those of 12 sessions.` */
function describeBacklog({ remaining, model }: EmbedReport, changed: number): SafeText {
  const stored = formatCounted(remaining, "stored message");
  const more =
    changed === 0 ? safeText("") : safe`, and what is new in ${formatCounted(changed, "session")}`;
  return safe`${stored} to embed by ${safeLine(model)}${more}.`;
}

/** `1,204 messages embedded by multilingual-e5-small#0123, 7 left` */
function describeEmbedding({ embedded, failed, remaining, model }: EmbedReport): SafeText {
  const facts = [
    safe`${formatCounted(embedded, "message")} embedded by ${safeLine(model)}`,
    ...count(failed, "not to be embedded"),
    ...count(Math.max(0, remaining - failed), "left"),
  ];
  return safe`${joinSafe(facts, ", ")}.`;
}
