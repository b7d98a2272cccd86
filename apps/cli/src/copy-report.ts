import type { ImportReport } from "@pond/archive";
import type { Context } from "./context.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { formatCount, formatCounted } from "./output/numbers.ts";
import { type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import { describeArchiveRedaction } from "./redaction.ts";

/** What came into a store from an archive or another store, in the form for scripts. */
export type CopyJson = Omit<ImportReport, "vectorsLeftOut"> & { readonly vectors_left_out: number };

/** What a stopped import or copy leaves behind. */
export const stoppedImportText: SafeText = safeText(
  "What is stored so far stays, with no session in part; the same command continues.",
);

export function toCopyJson({ vectorsLeftOut, ...report }: ImportReport): CopyJson {
  return { ...report, vectors_left_out: vectorsLeftOut };
}

/** Done with faults if something was damaged. */
export function exitCodeOf({ damaged }: CopyJson): ExitCode {
  return damaged.length === 0 ? exitCodes.done : exitCodes.doneWithFaults;
}

/** The same for people: a line, and a warning if something was left out. */
export function printCopy({ output }: Context, json: CopyJson): void {
  const { tables, differing, damaged, vectors_left_out: vectorsLeftOut, redacted } = json;
  const [sessions, messages] = [tables["sessions"], tables["messages"]];
  if (!output.isQuiet) {
    const added = messages?.inserted ?? 0;
    const fresh = safe`${formatCounted(sessions?.inserted ?? 0, "new session")}, ${formatCounted(added, "new message")}`;
    const there = safe`${formatCount(messages?.present ?? 0)} there already`;
    const other =
      differing === 0
        ? safeText("")
        : safe`, ${formatCount(differing)} with another value, which stays`;
    output.line(safe`${fresh}; ${there}${other}.`);
  }
  if (redacted) output.note(describeArchiveRedaction(redacted));
  if (damaged.length > 0) {
    const sessions = formatCounted(damaged.length, "session");
    output.warn(
      safe`${sessions} with damaged or lost rows, which were left out or copied as they are, or which search may not find: ${safeLine(damaged.join(" "))}`,
    );
  }
  if (vectorsLeftOut > 0) {
    output.warn(
      safe`${formatCounted(vectorsLeftOut, "vector")} left out: their length differs from those here. \`pond sync\` makes new ones.`,
    );
  }
}
