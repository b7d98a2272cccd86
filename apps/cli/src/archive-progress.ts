import type { Progress } from "@pond/archive";
import { formatBytes, formatCount } from "./output/numbers.ts";
import {
  describeRate,
  describeShare,
  describeTimeLeft,
  fitFacts,
  type Pace,
  type ProgressLine,
} from "./output/progress.ts";
import { type SafeText, safe, safeText } from "./output/safe-text.ts";

/** Draws the progress of an export, an import or a copy. */
export function showArchive(line: ProgressLine, progress: Progress): void {
  line.show(progress.step, progress, (pace) => describeArchive(progress, pace));
}

const stepWords: Readonly<Record<Progress["step"], string>> = {
  copy: "copying",
  compact: "compacting",
  pack: "writing",
  unpack: "unpacking",
  check: "checking",
  fold: "updating indexes",
  mend: "storing anew",
};

/** A progress as one line. */
export function describeArchive({ step }: Progress, pace: Pace): SafeText {
  const what = safe`${safeText(stepWords[step])}  ${describeShare(pace)}`;
  const left = describeTimeLeft(pace);
  switch (step) {
    case "compact":
    case "fold":
      return what;
    case "copy":
    case "check":
    case "mend": {
      const rows = safe`${formatCount(pace.done)}/${formatCount(pace.total)} rows`;
      const rate = rateOf(pace, (each) => safe`${formatCount(each)} rows/s`);
      return fitFacts([what, rows, left, rate], pace.columns);
    }
    case "pack":
    case "unpack": {
      const rate = rateOf(pace, (each) => safe`${formatBytes(each)}/s`);
      return fitFacts([what, formatBytes(pace.total), left, rate], pace.columns);
    }
  }
}

function rateOf(
  { done, doneBefore, elapsedMs }: Pace,
  format: (perSecond: number) => SafeText,
): SafeText {
  return describeRate(done - doneBefore, elapsedMs, format);
}
