import type { ImportReport } from "@pond/archive";
import type { Context } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit.ts";
import { formatCount, formatCounted } from "./output/numbers.ts";
import { type Shown, say, shown, shownLine } from "./output/shown.ts";
import { describeArchived } from "./redacted.ts";

/** What came into a store from an archive or another store, in the form for scripts. */
export type CopyWire = Omit<ImportReport, "vectorsLeftOut"> & { readonly vectors_left_out: number };

/** What a stopped import or copy leaves behind. */
export const whatIsKept: Shown = shown(
  "What is stored so far stays, with no session in part; the same command continues.",
);

export function toCopyWire({ vectorsLeftOut, ...report }: ImportReport): CopyWire {
  return { ...report, vectors_left_out: vectorsLeftOut };
}

/** Done with faults if something was damaged. */
export function exitCodeOf({ damaged }: CopyWire): ExitCode {
  return damaged.length === 0 ? exitCodes.done : exitCodes.doneWithFaults;
}

/** The same for people: a line, and a warning if something was left out. */
export function printCopy({ output }: Context, wire: CopyWire): void {
  const { tables, differing, damaged, vectors_left_out: vectorsLeftOut, redacted } = wire;
  const [sessions, messages] = [tables["sessions"], tables["messages"]];
  if (!output.isQuiet) {
    const added = messages?.inserted ?? 0;
    const fresh = say`${formatCounted(sessions?.inserted ?? 0, "new session")}, ${formatCounted(added, "new message")}`;
    const there = say`${formatCount(messages?.present ?? 0)} there already`;
    const other =
      differing === 0
        ? shown("")
        : say`, ${formatCount(differing)} with another value, which stays`;
    output.line(say`${fresh}; ${there}${other}.`);
  }
  if (redacted) output.note(describeArchived(redacted));
  if (damaged.length > 0) {
    const sessions = formatCounted(damaged.length, "session");
    output.warn(
      say`${sessions} with damaged or lost rows, which were left out or copied as they are, or which search may not find: ${shownLine(damaged.join(" "))}`,
    );
  }
  if (vectorsLeftOut > 0) {
    output.warn(
      say`${formatCounted(vectorsLeftOut, "vector")} left out: their length differs from those here. \`pond sync\` makes new ones.`,
    );
  }
}
