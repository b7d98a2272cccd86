import type { SyncProgress } from "@pond/sync";
import { formatCount, formatDuration } from "./numbers.ts";
import type { Output } from "./output.ts";
import { type Shown, say, shown, shownLine } from "./shown.ts";
import { cut, padEnd } from "./width.ts";

const barColumns = 20;
const redrawEveryMs = 80;
// Earlier the rate jumps about and the time left means nothing.
const settledAfterMs = 1_000;

/** One live line on a terminal's stderr; silent elsewhere. */
export class ProgressLine {
  readonly #output: Output;
  readonly #nowMs: () => number;
  readonly #isActive: boolean;
  #startedMs: number | undefined;
  #drawnMs = Number.NEGATIVE_INFINITY;
  #isDrawn = false;

  constructor(output: Output, nowMs: () => number = () => performance.now()) {
    this.#output = output;
    this.#nowMs = nowMs;
    this.#isActive = output.stderr.isTTY === true && !output.isQuiet;
  }

  show(progress: SyncProgress): void {
    if (!this.#isActive) return;
    const nowMs = this.#nowMs();
    if (nowMs - this.#drawnMs < redrawEveryMs) return;
    this.#drawnMs = nowMs;
    if (progress.stage === "import") this.#startedMs ??= nowMs;
    const elapsedMs = nowMs - (this.#startedMs ?? nowMs);
    const columns = (this.#output.stderr.columns || 80) - 1;
    const line = cut(describe(progress, elapsedMs), columns);
    this.#output.stderr.write(`\r\x1b[2K${line}`);
    this.#isDrawn = true;
  }

  /** Removes the line; call before anything else is printed. */
  clear(): void {
    if (this.#isDrawn) this.#output.stderr.write("\r\x1b[2K");
    this.#isDrawn = false;
  }
}

/** A progress in one line. */
export function describe(progress: SyncProgress, elapsedMs: number): Shown {
  switch (progress.stage) {
    case "list":
      return say`${shownLine(progress.adapter)}  looking: ${formatCount(progress.sessions)} sessions`;
    case "update-indexes":
      return say`updating indexes: ${shownLine(progress.table)}`;
    case "import": {
      const { adapter, sessionsDone, sessionsTotal, bytesDone, bytesTotal } = progress;
      const share = bytesTotal > 0 ? bytesDone / bytesTotal : sessionsDone / sessionsTotal;
      const counts = say`${formatCount(sessionsDone)}/${formatCount(sessionsTotal)} sessions`;
      const percent = shown(`${Math.floor(share * 100)} %`.padStart(5));
      const rest = describeRate(progress.messagesRead, share, elapsedMs);
      return say`${shownLine(adapter)}  ${bar(share)} ${percent}  ${counts}${rest}`;
    }
  }
}

function describeRate(messages: number, share: number, elapsedMs: number): Shown {
  if (elapsedMs < settledAfterMs) return shown("");
  const rate = formatCount(Math.round((messages / elapsedMs) * 1000));
  const left = share > 0 ? (elapsedMs / share) * (1 - share) : undefined;
  const time = left === undefined ? shown("") : say`  ${formatDuration(left)} left`;
  return say`  ${rate} messages/s${time}`;
}

function bar(share: number): Shown {
  const full = Math.round(Math.min(1, Math.max(0, share)) * barColumns);
  return padEnd(shown("█".repeat(full) + "░".repeat(barColumns - full)), barColumns);
}
