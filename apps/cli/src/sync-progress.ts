import type { SyncProgress } from "@pond/sync";
import { formatCount, formatCounted, formatDuration } from "./output/numbers.ts";
import {
  describeRate,
  describeShare,
  describeTimeLeft,
  fitFacts,
  type Pace,
  type ProgressLine,
} from "./output/progress.ts";
import { type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import { padEnd, padStart, widthOf } from "./output/width.ts";

// As wide as the names of clients, so that the bars are aligned.
const nameColumns = 11;
// Anything shorter is done before anybody asks.
const showTimeAfterMs = 2_000;

/** Draws the progress of a sync: a line for each client, and one for what follows them. */
export function showSync(line: ProgressLine, progress: SyncProgress): void {
  const stage = progress.stage === "mend" ? "update-indexes" : progress.stage;
  const name = "adapter" in progress ? progress.adapter : stage;
  const step = "table" in progress ? `${progress.stage} ${progress.table}` : stage;
  line.show(step, amountOf(progress), (pace) => describeSync(progress, pace), name);
}

/** Answers a Ctrl-C at once: storing what was read takes a moment. */
export function showStopping(line: ProgressLine): void {
  const stopping = safeText("Stopping once what was read is stored; Ctrl-C again stops at once.");
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
export function describeSync(progress: SyncProgress, pace: Pace): SafeText {
  const { done, total, doneBefore, elapsedMs, columns } = pace;
  switch (progress.stage) {
    case "list":
      return safe`${nameColumn(progress.adapter)}  ${formatCounted(progress.sessions, "session")} found`;
    case "compare": {
      const share = safe`${nameColumn("comparing")}  ${describeShare(pace)}`;
      return fitFacts([share, safe`${outOf(done, total)} rows`, describeTimeLeft(pace)], columns);
    }
    case "mend": {
      const share = safe`${nameColumn("mending")}  ${describeShare(pace)}`;
      const rows = safe`${outOf(done, total)} ${safeLine(progress.table)}`;
      // Before the first one, it is determined how they are stored.
      const rate =
        done > doneBefore
          ? describeRate(done - doneBefore, elapsedMs, (each) => safe`${formatCount(each)}/s`)
          : safeText("");
      return fitFacts([share, rows, describeTimeLeft(pace), rate], columns);
    }
    case "update-indexes": {
      const time =
        elapsedMs < showTimeAfterMs ? safeText("") : safe`  ${formatDuration(elapsedMs)}`;
      return safe`${nameColumn("indexing")}  ${safeLine(progress.table)}${time}`;
    }
    case "import": {
      const { sessionsDone, sessionsTotal, messagesRead } = progress.ofAdapter;
      const counts = safe`${outOf(sessionsDone, sessionsTotal)} sessions`;
      const rate = describeRate(
        messagesRead,
        elapsedMs,
        (messages) => safe`${formatCount(messages)} messages/s`,
      );
      const share = safe`${nameColumn(progress.adapter)}  ${describeShare(pace)}`;
      return fitFacts([share, counts, describeTimeLeft(pace), rate], columns);
    }
    case "embed": {
      const counts = safe`${outOf(done, total)} messages`;
      const rate = describeRate(
        done - doneBefore,
        elapsedMs,
        (each) => safe`${formatCount(each)}/s`,
      );
      const share = safe`${nameColumn("embedding")}  ${describeShare(pace)}`;
      // Cut where the line ends, because it says what a person can do.
      if (progress.retrying !== undefined) return safe`${share}  ${safeLine(progress.retrying)}`;
      return fitFacts([share, counts, describeTimeLeft(pace), rate], columns);
    }
  }
}

function nameColumn(name: string): SafeText {
  return padEnd(safeLine(name), nameColumns);
}

/** `  530/2,502`, already as wide as it is going to be. */
function outOf(done: number, total: number): SafeText {
  const whole = formatCount(total);
  return safe`${padStart(formatCount(done), widthOf(whole))}/${whole}`;
}
