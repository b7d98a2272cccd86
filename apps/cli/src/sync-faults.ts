import type { Fault, SyncReport } from "@pond/sync";
import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { formatCount, formatCounted } from "./output/numbers.ts";
import type { Output } from "./output/output.ts";
import { type Shown, say, shown, shownLine } from "./output/shown.ts";
import type { Style } from "./output/style.ts";

const faultsShown = 10;

type LocatedFault = Pick<Fault, "location" | "message">;
type Listed = { readonly place: string; readonly reason: string };

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
      : say`${formatCounted(unread, "record")} could not be read; everything around ${shown(unread === 1 ? "it" : "them")} is stored`;
  printList(output, say`${title}:`, unread, listedIn(home, records));
  const about = shown(leftovers === 1 ? "it" : "them");
  const note = say`${formatCounted(leftovers, "note")}; nothing needs doing about ${about}:`;
  printList(output, note, leftovers, listedIn(home, left));
  const { failed = 0, faults = [] } = embedding ?? {};
  printList(
    output,
    say`${formatCounted(failed, "message")} could not be embedded and can be found by words alone; the next sync tries again:`,
    failed,
    faults.map(({ session_id, message_id, message }) => ({
      place: `${session_id} ${message_id}`,
      reason: message,
    })),
  );
}

/** The words for sessions of which nothing is stored, and for everything else. */
export function describeFailed(sessions: number): Shown {
  return say`${formatCounted(sessions, "session")} could not be stored; everything else that could be read is`;
}

/** Lists on stdout where each is and what is wrong with it; the first ten without `-v`. */
export function printFaultList(
  { output, home }: Context,
  faults: readonly LocatedFault[],
  total: number,
): void {
  const print = (line: Shown): void => output.line(line);
  printPlaces(output, { faults: listedIn(home, faults), total, style: output.style, print });
}

function listedIn(home: string, faults: readonly LocatedFault[]): Listed[] {
  return faults.map(({ location, message }) => ({
    place: shortenHome(location, home),
    reason: message,
  }));
}

function printList(output: Output, title: Shown, total: number, faults: readonly Listed[]): void {
  if (total === 0) return;
  output.warn(title);
  const print = (line: Shown): unknown => output.stderr.write(`${line}\n`);
  printPlaces(output, { faults, total, style: output.noteStyle, print });
}

type Places = {
  readonly faults: readonly Listed[];
  readonly total: number;
  readonly style: Style;
  readonly print: (line: Shown) => unknown;
};

function printPlaces(
  { isVerbose }: Pick<Output, "isVerbose">,
  { faults, total, style, print }: Places,
): void {
  const listed = isVerbose ? faults : faults.slice(0, faultsShown);
  for (const { place, reason } of listed) {
    print(say`  ${style.accent(shownLine(place))}  ${shownLine(reason)}`);
  }
  const rest = total - listed.length;
  if (rest > 0) print(say`  and ${formatCount(rest)} more: -v lists them, --json too`);
}
