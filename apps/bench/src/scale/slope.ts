import { type Cost, mostSlope, type Operation, type ScaleRun } from "./measure.ts";

/** How a cost grows with the store: cost ~ messages ^ slope, between the two largest sizes. */
export type Growth = {
  readonly operation: Operation;
  /** Of CPU time, which a busy machine lengthens less; NaN with a single size. */
  readonly slope: number;
  /** Of peak memory; NaN if unknown. */
  readonly memorySlope: number;
  readonly isTooFast: boolean;
  readonly isMemoryTooFast: boolean;
};

/** Noise of a shared machine; a cost that truly doubles with the work is far above it. */
const tolerance = 0.1;
/** Buffers and caches fill up before they are flat. */
const memoryTolerance = 0.2;

/** @param runs - Smallest first. */
export function growthsOf(runs: readonly ScaleRun[]): Growth[] {
  const operations = Object.keys(mostSlope) as Operation[];
  return operations.map((operation) => {
    const slope = slopeOf(runs, operation, ({ cpuMs }) => cpuMs);
    const memorySlope = slopeOf(runs, operation, ({ peakMb }) => peakMb ?? Number.NaN);
    return {
      ...{ operation, slope, memorySlope },
      isTooFast: slope > mostSlope[operation] + tolerance,
      isMemoryTooFast: memorySlope > memoryTolerance,
    };
  });
}

export function costOf(run: ScaleRun, operation: Operation): Cost | undefined {
  return run.costs.find((cost) => cost.operation === operation);
}

function slopeOf(
  runs: readonly ScaleRun[],
  operation: Operation,
  measured: (cost: Cost) => number,
): number {
  const [before, last] = runs.slice(-2).map((run) => {
    const cost = costOf(run, operation);
    return { messages: run.messages, value: cost === undefined ? Number.NaN : measured(cost) };
  });
  if (before === undefined || last === undefined) return Number.NaN;
  return Math.log(last.value / before.value) / Math.log(last.messages / before.messages);
}
