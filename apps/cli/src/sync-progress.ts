import type { SyncProgress } from "@pond/sync";
import { formatCount, formatCounted, formatDuration } from "./output/numbers.ts";
import {
  describeRate,
  describeShare,
  describeTimeLeft,
  fitted,
  type Pace,
  type ProgressLine,
} from "./output/progress.ts";
import { type Shown, say, shown, shownLine } from "./output/shown.ts";
import { padEnd, padStart, widthOf } from "./output/width.ts";

// As wide as the names of clients, so that the bars are aligned.
const nameColumns = 11;
// Anything shorter is done before anybody asks.
const tellTimeAfterMs = 2_000;

/** Draws the progress of a sync: a line for each client, and one for what follows them. */
export function showSync(line: ProgressLine, progress: SyncProgress): void {
  const stage = progress.stage === "mend" ? "update-indexes" : progress.stage;
  const name = "adapter" in progress ? progress.adapter : stage;
  const step = "table" in progress ? `${progress.stage} ${progress.table}` : stage;
  line.show(step, amountOf(progress), (pace) => describeSync(progress, pace), name);
}

/** Answers a Ctrl-C at once: storing what was read takes a moment. */
export function showStopping(line: ProgressLine): void {
  const stopping = shown("Stopping once what was read is stored; Ctrl-C again stops at once.");
  line.show("stop", { done: 0, total: 0 }, () => stopping, "stop");
}

/**
 * What the bar measures: an import is measured in bytes, because sessions differ a thousandfold in
 * size.
 */
function amountOf(progress: SyncProgress): Pick<Pace, "done" | "total"> {
  switch (progress.stage) {
    case "import": {
      const { bytesDone, bytesTotal, sessionsDone, sessionsTotal } = progress.ofAdapter;
      return bytesTotal > 0
        ? { done: bytesDone, total: bytesTotal }
        : { done: sessionsDone, total: sessionsTotal };
    }
    case "embed":
      return { done: progress.embedded + progress.failed, total: progress.total };
    case "compare":
    case "mend":
      return { done: progress.rows, total: progress.total };
    case "list":
    case "update-indexes":
      return { done: 0, total: 0 };
  }
}

/** A progress as one line. */
export function describeSync(progress: SyncProgress, pace: Pace): Shown {
  const { done, total, doneBefore, elapsedMs, columns } = pace;
  switch (progress.stage) {
    case "list":
      return say`${nameOf(progress.adapter)}  ${formatCounted(progress.sessions, "session")} found`;
    case "compare": {
      const share = say`${nameOf("comparing")}  ${describeShare(pace)}`;
      return fitted([share, say`${outOf(done, total)} rows`, describeTimeLeft(pace)], columns);
    }
    case "mend": {
      const share = say`${nameOf("mending")}  ${describeShare(pace)}`;
      const rows = say`${outOf(done, total)} ${shownLine(progress.table)}`;
      // Before the first one, it is determined how they are stored.
      const rate =
        done > doneBefore
          ? describeRate(done - doneBefore, elapsedMs, (each) => say`${formatCount(each)}/s`)
          : shown("");
      return fitted([share, rows, describeTimeLeft(pace), rate], columns);
    }
    case "update-indexes": {
      const time = elapsedMs < tellTimeAfterMs ? shown("") : say`  ${formatDuration(elapsedMs)}`;
      return say`${nameOf("indexing")}  ${shownLine(progress.table)}${time}`;
    }
    case "import": {
      const { sessionsDone, sessionsTotal, messagesRead } = progress.ofAdapter;
      const counts = say`${outOf(sessionsDone, sessionsTotal)} sessions`;
      const rate = describeRate(
        messagesRead,
        elapsedMs,
        (messages) => say`${formatCount(messages)} messages/s`,
      );
      const share = say`${nameOf(progress.adapter)}  ${describeShare(pace)}`;
      return fitted([share, counts, describeTimeLeft(pace), rate], columns);
    }
    case "embed": {
      const counts = say`${outOf(done, total)} messages`;
      const rate = describeRate(
        done - doneBefore,
        elapsedMs,
        (each) => say`${formatCount(each)}/s`,
      );
      const share = say`${nameOf("embedding")}  ${describeShare(pace)}`;
      return fitted([share, counts, describeTimeLeft(pace), rate], columns);
    }
  }
}

function nameOf(name: string): Shown {
  return padEnd(shownLine(name), nameColumns);
}

/** `  530/2,502`, already as wide as it is going to be. */
function outOf(done: number, total: number): Shown {
  const whole = formatCount(total);
  return say`${padStart(formatCount(done), widthOf(whole))}/${whole}`;
}
