import { formatDuration } from "./numbers.ts";
import type { Output } from "./output.ts";
import { joinSafe, type SafeText, safe, safeText } from "./safe-text.ts";
import { cut, padEnd, widthOf } from "./width.ts";

const redrawEveryMs = 100;
// A step that reports nothing for a while still shows that time passes.
const tickEveryMs = 1_000;
// Earlier, the rate jumps about and the remaining time means nothing.
const settledAfterMs = 1_000;
// A narrower one leaves no room for a rate and a time beside the bar.
const wideBarColumns = 8;
const narrowBarColumns = 5;
const narrowTerminal = 72;

/** The progress of a step, and since when it runs. */
export type Pace = {
  readonly done: number;
  readonly total: number;
  /** What was done already when the step began, for example by an earlier call. */
  readonly doneBefore: number;
  readonly elapsedMs: number;
  /** Columns of the terminal that a line may fill. */
  readonly columns: number;
};

type Amount = Pick<Pace, "done" | "total">;

type Line = {
  readonly step: string;
  readonly startedMs: number;
  readonly doneBefore: number;
  amount: Amount;
  describe: (pace: Pace) => SafeText;
  /** When it was last shown: a line that is complete does not slow down any more. */
  shownMs: number;
};

/** Live lines on a terminal's stderr, redrawn in place; silent elsewhere. */
export class ProgressLine {
  readonly #output: Output;
  readonly #nowMs: () => number;
  readonly #isActive: boolean;
  readonly #lines = new Map<string, Line>();
  #current: Line | undefined;
  #drawnMs = Number.NEGATIVE_INFINITY;
  #drawn: readonly SafeText[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Output, nowMs: () => number = () => performance.now()) {
    this.#output = output;
    this.#nowMs = nowMs;
    this.#isActive = output.canRedraw && !output.isQuiet;
  }

  /**
   * @param step - Its rate is measured from the first time it is shown.
   * @param name - Names the line that it is shown on; lines of other names stay above it.
   */
  show(step: string, amount: Amount, describe: (pace: Pace) => SafeText, name: string = ""): void {
    if (!this.#isActive) return;
    const nowMs = this.#nowMs();
    let line = this.#lines.get(name);
    const isNew = line?.step !== step;
    if (line === undefined || isNew) {
      const doneBefore = amount.done;
      line = { step, startedMs: nowMs, doneBefore, amount, describe, shownMs: nowMs };
      this.#lines.set(name, line);
    }
    Object.assign(line, { amount, describe, shownMs: nowMs });
    this.#current = line;
    if (isNew || nowMs - this.#drawnMs >= redrawEveryMs) this.#draw(nowMs);
  }

  /** Removes the lines; call it before anything else is printed. */
  clear(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    process.off("exit", this.#leave);
    // Some terminals keep a screen as history if everything is erased from its first column.
    if (this.#drawn.length > 0) {
      this.#output.stderr.write(`${this.#toTop()}\x1b[K\x1b[C\x1b[J\r`);
    }
    this.#drawn = [];
    this.#lines.clear();
  }

  readonly #leave = (): void => this.clear();

  #draw(nowMs: number): void {
    this.#drawnMs = nowMs;
    // Some terminals would wrap a line as wide as themselves.
    const columns = this.#columns - 1;
    const { rows = 24 } = this.#output.stderr;
    const texts = [...this.#lines.values()].map((line) => {
      const { amount, startedMs, doneBefore, describe, shownMs } = line;
      const elapsedMs = (line === this.#current ? nowMs : shownMs) - startedMs;
      return cut(describe({ ...amount, doneBefore, elapsedMs, columns }), columns);
    });
    const shownTexts = texts.slice(-Math.max(1, rows - 1));
    if (joinSafe(shownTexts, "\n") === joinSafe(this.#drawn, "\n")) return;
    // Drawn over the old text, because a line that is erased first flickers. The cursor waits in
    // front, where the ^C that a terminal echoes makes no line longer.
    this.#output.stderr.write(`${this.#toTop()}${joinSafe(shownTexts, "\x1b[K\n")}\x1b[J\r`);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#draw(this.#nowMs()), tickEveryMs).unref();
      process.once("exit", this.#leave);
    }
    this.#drawn = shownTexts;
  }

  /** Moves to the beginning of what is drawn; a terminal made narrower has wrapped it since. */
  #toTop(): string {
    const rowsOf = (text: SafeText): number =>
      Math.max(1, Math.ceil(widthOf(text) / this.#columns));
    const above = this.#drawn.slice(0, -1).reduce((sum, text) => sum + rowsOf(text), 0);
    return above > 0 ? `\r\x1b[${above}A` : "\r";
  }

  get #columns(): number {
    return this.#output.stderr.columns || 80;
  }
}

/** The facts of a line, the most telling first: the last ones are left out if there is no room. */
export function fitFacts(facts: readonly SafeText[], columns: number): SafeText {
  const [first = safeText(""), ...others] = facts;
  let line = first;
  for (const fact of others) {
    if (fact === "") continue;
    const longer = safe`${line}  ${fact}`;
    if (widthOf(longer) > columns) break;
    line = longer;
  }
  return line;
}

/** `██░░░░░░  25 %` */
export function describeShare({ done, total, columns }: Amount & Pick<Pace, "columns">): SafeText {
  const share = Math.min(1, Math.max(0, shareOf(done, total)));
  const width = columns < narrowTerminal ? narrowBarColumns : wideBarColumns;
  const full = Math.round(share * width);
  const bar = padEnd(safeText("█".repeat(full) + "░".repeat(width - full)), width);
  return safe`${bar} ${safeText(`${Math.floor(share * 100)} %`.padStart(5))}`;
}

/**
 * `45,000 messages/s`, as `format` writes a number per second; nothing until it means something. It
 * has two digits, so that it can be read while it changes.
 */
export function describeRate(
  count: number,
  elapsedMs: number,
  format: (perSecond: number) => SafeText,
): SafeText {
  if (elapsedMs < settledAfterMs) return safeText("");
  const perSecond = (count / elapsedMs) * 1000;
  return format(Math.round(Number(perSecond.toPrecision(2))));
}

/** `6 s left`, based on what this call itself has done. */
export function describeTimeLeft({ done, total, doneBefore, elapsedMs }: Pace): SafeText {
  const own = done - doneBefore;
  if (elapsedMs < settledAfterMs || own <= 0 || total <= done) return safeText("");
  return safe`${formatLeft((elapsedMs / own) * (total - done))} left`;
}

/** In steps that grow with it: an estimate that changes all the time claims more than is known. */
function formatLeft(ms: number): SafeText {
  const seconds = Math.ceil(ms / 1000);
  if (seconds <= 10) return safeText(`${seconds} s`);
  const step = seconds <= 60 ? 5 : seconds <= 600 ? 10 : 60;
  const rounded = Math.ceil(seconds / step) * step;
  return rounded < 600 || rounded >= 3600
    ? formatDuration(rounded * 1000)
    : safeText(`${rounded / 60} min`);
}

function shareOf(done: number, total: number): number {
  return total > 0 ? done / total : 0;
}
