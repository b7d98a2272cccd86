import type { AdapterReport, Fault, SyncReport } from "@pond/sync";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { formatCount, formatCounted, formatDuration } from "./output/numbers.ts";
import { joined, type Shown, say, shown, shownLine } from "./output/shown.ts";
import { padEnd, widthOf } from "./output/width.ts";

const faultsShown = 10;

export type SummaryOptions = {
  readonly isPreview: boolean;
  /** Where was looked. */
  readonly places: readonly string[];
};

/**
 * What a sync did, to be read in two seconds: a line for each client that has sessions here, then
 * what went wrong.
 */
export function printSync(
  context: Context,
  report: SyncReport,
  { isPreview, places }: SummaryOptions,
): void {
  const { output, settings, home } = context;
  const { adapters } = report;
  if (output.isQuiet) {
    printFaults(context, adapters);
    return;
  }
  const found = adapters.filter(({ sessions, faults }) => sessions.seen + faults.length > 0);
  const listed = output.isVerbose || found.length === 0 ? adapters : found;
  const nameWidth = Math.max(0, ...listed.map(({ name }) => widthOf(name)));
  for (const adapter of listed) {
    const name = output.style.strong(padEnd(shownLine(adapter.name), nameWidth));
    output.line(say`${name}  ${describe(adapter, isPreview)}`);
  }
  printFaults(context, adapters);
  if (adapters.length > 0 && places.length === 0) {
    output.line(
      shown(
        "No client's sessions are on this machine. `pond sync CLIENT --path DIR` reads a copy.",
      ),
    );
  }
  const folded = report.indexes.filter(({ folded, created }) => folded || created.length > 0);
  const indexes =
    folded.length > 0
      ? say`, indexes updated: ${shownLine(folded.map(({ table }) => table).join(", "))}`
      : shown("");
  const where = shownLine(shortenHome(settings.location, home));
  const time = formatDuration(report.duration_ms);
  const line = isPreview
    ? say`Nothing was read or stored. The store is ${where}.`
    : say`Stored in ${where} (${time}${indexes}).`;
  output.line(output.style.faint(line));
}

/** `2,228 sessions: 12 new, 1 grown, +1,204 messages` */
function describe(report: AdapterReport, isPreview: boolean): Shown {
  const { sessions } = report;
  const total = formatCounted(sessions.seen, "session");
  const facts = [
    ...count(sessions.new, "new"),
    ...count(sessions.grown, isPreview ? "changed" : "grown"),
    ...(report.messages_added > 0
      ? [say`+${formatCounted(report.messages_added, "message")}`]
      : []),
    ...count(report.revisions, "revised"),
    ...count(report.tombstones, "gone from the source, kept here"),
    ...count(report.deferred, "changes left for the next sync"),
    ...count(report.rejected, "with another project than stored, which stays"),
    ...count(sessions.pending, "still being written"),
    ...count(sessions.failed, "not readable"),
  ];
  const isIdle = sessions.new + sessions.grown === 0;
  if (facts.length === 0) return say`${total}, nothing new`;
  return say`${total}: ${isIdle ? shown("nothing new, ") : shown("")}${joined(facts, ", ")}`;
}

function count(value: number, what: string): Shown[] {
  return value === 0 ? [] : [say`${formatCount(value)} ${shown(what)}`];
}

function printFaults({ output, home }: Context, adapters: readonly AdapterReport[]): void {
  const faults = adapters.flatMap((report) => report.faults);
  const omitted = adapters.reduce((sum, report) => sum + report.faults_omitted, 0);
  const total = faults.length + omitted;
  if (total === 0) return;
  const listed = output.isVerbose ? faults : faults.slice(0, faultsShown);
  output.warn(
    say`${formatCounted(total, "record")} could not be read; everything around ${shown(total === 1 ? "it" : "them")} is stored:`,
  );
  for (const { location, message } of listed satisfies readonly Fault[]) {
    const place = output.noteStyle.accent(shownLine(shortenHome(location, home)));
    output.stderr.write(say`  ${place}  ${shownLine(message)}\n`);
  }
  const rest = total - listed.length;
  if (rest > 0) {
    output.stderr.write(say`  and ${formatCount(rest)} more: -v lists them, --json too\n`);
  }
}
