import type { SyncProgress } from "@pond/sync";
import { formatCount } from "./output/numbers.ts";
import {
  describeRate,
  describeShare,
  describeTimeLeft,
  type Pace,
  type ProgressLine,
} from "./output/progress.ts";
import { type Shown, say, shownLine } from "./output/shown.ts";

/** Draws how far a sync is. */
export function showSync(line: ProgressLine, progress: SyncProgress): void {
  line.show(progress.stage, amountOf(progress), (pace) => describeSync(progress, pace));
}

/** What the bar measures: an import goes by bytes, for sessions differ a thousandfold in size. */
function amountOf(progress: SyncProgress): Pick<Pace, "done" | "total"> {
  switch (progress.stage) {
    case "import": {
      const { bytesDone, bytesTotal, sessionsDone, sessionsTotal } = progress;
      return bytesTotal > 0
        ? { done: bytesDone, total: bytesTotal }
        : { done: sessionsDone, total: sessionsTotal };
    }
    case "embed":
      return { done: progress.embedded + progress.failed, total: progress.total };
    case "list":
    case "update-indexes":
      return { done: 0, total: 0 };
  }
}

/** A progress in one line. */
export function describeSync(progress: SyncProgress, pace: Pace): Shown {
  switch (progress.stage) {
    case "list":
      return say`${shownLine(progress.adapter)}  looking: ${formatCount(progress.sessions)} sessions`;
    case "update-indexes":
      return say`updating indexes: ${shownLine(progress.table)}`;
    case "import": {
      const { adapter, sessionsDone, sessionsTotal, messagesRead } = progress;
      const counts = say`${formatCount(sessionsDone)}/${formatCount(sessionsTotal)} sessions`;
      const rate = describeRate(
        messagesRead,
        pace.elapsedMs,
        (messages) => say`${formatCount(messages)} messages/s`,
      );
      const left = describeTimeLeft(pace);
      return say`${shownLine(adapter)}  ${describeShare(pace)}  ${counts}${rate}${left}`;
    }
    case "embed": {
      const { done, total, doneBefore, elapsedMs } = pace;
      const counts = say`${formatCount(done)}/${formatCount(total)} messages`;
      const rate = describeRate(
        done - doneBefore,
        elapsedMs,
        (each) => say`${formatCount(each)}/s`,
      );
      return say`embedding  ${describeShare(pace)}  ${counts}${rate}${describeTimeLeft(pace)}`;
    }
  }
}
