import type { Progress } from "@pond/archive";
import { formatBytes, formatCount } from "./output/numbers.ts";
import {
  describeRate,
  describeShare,
  describeTimeLeft,
  fitted,
  type Pace,
  type ProgressLine,
} from "./output/progress.ts";
import { type Shown, say, shown } from "./output/shown.ts";

/** Draws the progress of an export, an import or a copy. */
export function showArchive(line: ProgressLine, progress: Progress): void {
  line.show(progress.step, progress, (pace) => describeArchive(progress, pace));
}

const words: Readonly<Record<Progress["step"], string>> = {
  copy: "copying",
  compact: "compacting",
  pack: "writing",
  unpack: "unpacking",
  check: "checking",
  fold: "updating indexes",
  mend: "storing anew",
};

/** A progress as one line. */
export function describeArchive({ step }: Progress, pace: Pace): Shown {
  const what = say`${shown(words[step])}  ${describeShare(pace)}`;
  const left = describeTimeLeft(pace);
  switch (step) {
    case "compact":
    case "fold":
      return what;
    case "copy":
    case "check":
    case "mend": {
      const rows = say`${formatCount(pace.done)}/${formatCount(pace.total)} rows`;
      const rate = rateOf(pace, (each) => say`${formatCount(each)} rows/s`);
      return fitted([what, rows, left, rate], pace.columns);
    }
    case "pack":
    case "unpack": {
      const rate = rateOf(pace, (each) => say`${formatBytes(each)}/s`);
      return fitted([what, formatBytes(pace.total), left, rate], pace.columns);
    }
  }
}

function rateOf(
  { done, doneBefore, elapsedMs }: Pace,
  format: (perSecond: number) => Shown,
): Shown {
  return describeRate(done - doneBefore, elapsedMs, format);
}
