import type { Fault, SyncReport } from "@pond/sync";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { formatCount, formatCounted } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import type { Style } from "./output/style.ts";

const maxFaultsShown = 10;

type LocatedFault = Pick<Fault, "location" | "message">;
type ListedFault = { readonly place: string; readonly reason: string };

/** Lists on stderr what a sync could not do, even with `-q`. */
export function printFaults({ output, home }: Context, { adapters, embedding }: SyncReport): void {
  const { left = [], records = [] } = Object.groupBy(
    adapters.flatMap(({ faults }) => faults),
    ({ is_leftover: isLeftover }) => (isLeftover ? "left" : "records"),
  );
  const omitted = adapters.reduce((sum, report) => sum + report.faults_omitted, 0);
  const leftovers = adapters.reduce((sum, report) => sum + report.leftovers, 0);
  const unread = records.length + left.length + omitted - leftovers;
  const unstored = adapters.reduce((sum, { sessions }) => sum + sessions.failed, 0);
  const title =
    unstored > 0
      ? describeFailed(unstored)
      : safe`${formatCounted(unread, "record")} could not be read; everything around ${safeText(unread === 1 ? "it" : "them")} is stored`;
  printList(output, safe`${title}:`, unread, toListed(home, records));
  const about = safeText(leftovers === 1 ? "it" : "them");
  const note = safe`${formatCounted(leftovers, "note")}; nothing needs doing about ${about}:`;
  printList(output, note, leftovers, toListed(home, left));
  const { failed = 0, faults = [] } = embedding ?? {};
  printList(
    output,
    safe`${formatCounted(failed, "message")} could not be embedded and can be found by words alone; the next sync tries again:`,
    failed,
    faults.map(({ session_id, message_id, message }) => ({
      place: `${session_id} ${message_id}`,
      reason: message,
    })),
  );
}

/** The words for sessions of which nothing is stored, and for everything else. */
export function describeFailed(sessions: number): SafeText {
  return safe`${formatCounted(sessions, "session")} could not be stored; everything else that could be read is`;
}

/** Lists on stdout where each is and what is wrong with it; ten of them without `-v`. */
export function printFaultList(
  { output, home }: Context,
  faults: readonly LocatedFault[],
  total: number,
): void {
  const print = (line: SafeText): void => output.line(line);
  printListed(output, { faults: toListed(home, faults), total, style: output.style, print });
}

function toListed(home: string, faults: readonly LocatedFault[]): ListedFault[] {
  return faults.map(({ location, message }) => ({
    place: shortenHome(location, home),
    reason: message,
  }));
}

function printList(
  output: Output,
  title: SafeText,
  total: number,
  faults: readonly ListedFault[],
): void {
  if (total === 0) return;
  output.warn(title);
  const print = (line: SafeText): unknown => output.stderr.write(`${line}\n`);
  printListed(output, { faults, total, style: output.noteStyle, print });
}

type FaultList = {
  readonly faults: readonly ListedFault[];
  readonly total: number;
  readonly style: Style;
  readonly print: (line: SafeText) => unknown;
};

function printListed(
  { isVerbose }: Pick<Output, "isVerbose">,
  { faults, total, style, print }: FaultList,
): void {
  const listed = isVerbose ? faults : firstOfEachFile(faults, maxFaultsShown);
  for (const { place, reason } of listed) {
    print(safe`  ${style.accent(safeLine(place))}  ${safeLine(reason)}`);
  }
  const rest = total - listed.length;
  if (rest > 0)
    print(safe`  and ${formatCount(rest)} more${whereListed(faults.length - listed.length, rest)}`);
}

/** So many faults, in their order, so chosen that a file with many does not hide the others. */
function firstOfEachFile(faults: readonly ListedFault[], count: number): readonly ListedFault[] {
  const files = Map.groupBy(faults, ({ place }) => place.replace(/:[^:]*$/, ""));
  const byTurns = [...files.values()]
    .flatMap((own) => own.map((fault, turn) => ({ fault, turn })))
    .toSorted((left, right) => left.turn - right.turn);
  const chosen = new Set(byTurns.slice(0, count).map(({ fault }) => fault));
  return faults.filter((fault) => chosen.has(fault));
}

/** A report holds the first faults of each session, and the number of the others. */
function whereListed(listable: number, rest: number): SafeText {
  if (listable === 0) return safeText(", which are only counted");
  const which = listable === rest ? safeText("them") : safe`${formatCount(listable)} of them`;
  return safe`: -v lists ${which}, --json too`;
}
