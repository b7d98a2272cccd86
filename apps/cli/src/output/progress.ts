import { formatDuration } from "./numbers.ts";
import type { Output } from "./output.ts";
import { type Shown, say, shown } from "./shown.ts";
import { cut, padEnd } from "./width.ts";

// Rate and time left have to fit beside it.
const barColumns = 10;
const redrawEveryMs = 80;
// Earlier the rate jumps about and the time left means nothing.
const settledAfterMs = 1_000;

/** How far a step is, and since when it runs. */
export type Pace = {
  readonly done: number;
  readonly total: number;
  /** What was done already when the step began, such as by an earlier call. */
  readonly doneBefore: number;
  readonly elapsedMs: number;
};

type Step = { readonly name: string; readonly startedMs: number; readonly doneBefore: number };

/** One live line on a terminal's stderr; silent elsewhere. */
export class ProgressLine {
  readonly #output: Output;
  readonly #nowMs: () => number;
  readonly #isActive: boolean;
  #step: Step | undefined;
  #drawnMs = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  constructor(output: Output, nowMs: () => number = () => performance.now()) {
    this.#output = output;
    this.#nowMs = nowMs;
    this.#isActive = output.stderr.isTTY === true && !output.isQuiet;
  }

  /** @param step - Its rate is measured from the first time it is shown. */
  show(
    step: string,
    { done, total }: Pick<Pace, "done" | "total">,
    describe: (pace: Pace) => Shown,
  ): void {
    if (!this.#isActive) return;
    const nowMs = this.#nowMs();
    if (this.#step?.name !== step) {
      this.#step = { name: step, startedMs: nowMs, doneBefore: done };
    } else if (nowMs - this.#drawnMs < redrawEveryMs) return;
    const { startedMs, doneBefore } = this.#step;
    this.#drawnMs = nowMs;
    const columns = (this.#output.stderr.columns || 80) - 1;
    const text = describe({ done, total, doneBefore, elapsedMs: nowMs - startedMs });
    this.#output.stderr.write(`\r\x1b[2K${cut(text, columns)}`);
    this.#isDrawn = true;
  }

  /** Removes the line; call before anything else is printed. */
  clear(): void {
    if (this.#isDrawn) this.#output.stderr.write("\r\x1b[2K");
    this.#isDrawn = false;
  }
}

/** `███░░░░░░░  25 %` */
export function describeShare({ done, total }: Pick<Pace, "done" | "total">): Shown {
  const share = Math.min(1, Math.max(0, shareOf(done, total)));
  const full = Math.round(share * barColumns);
  const bar = padEnd(shown("█".repeat(full) + "░".repeat(barColumns - full)), barColumns);
  return say`${bar} ${shown(`${Math.floor(share * 100)} %`.padStart(5))}`;
}

/** `  45,000 messages/s`, as `format` writes a number per second; nothing until it means something. */
export function describeRate(
  count: number,
  elapsedMs: number,
  format: (perSecond: number) => Shown,
): Shown {
  if (elapsedMs < settledAfterMs) return shown("");
  return say`  ${format(Math.round((count / elapsedMs) * 1000))}`;
}

/** `  6.0 s left`, going by what this call has done itself. */
export function describeTimeLeft({ done, total, doneBefore, elapsedMs }: Pace): Shown {
  const own = done - doneBefore;
  if (elapsedMs < settledAfterMs || own <= 0 || total <= 0) return shown("");
  return say`  ${formatDuration((elapsedMs / own) * Math.max(0, total - done))} left`;
}

function shareOf(done: number, total: number): number {
  return total > 0 ? done / total : 0;
}
