import { parentPort, workerData } from "node:worker_threads";
import { Coverage } from "./coverage.ts";
import { type RunResult, runCases } from "./run-cases.ts";

/** What a worker has to run, one target after the other. */
export type Job = {
  readonly targets: readonly string[];
  readonly cases: number;
  readonly seed: number;
  readonly scratch: string;
  readonly isGuided: boolean;
  /** Receives the number of the current target and of its case. */
  readonly progress: SharedArrayBuffer;
};

/** The worker's answer for each target. */
export type Answer = RunResult & {
  readonly target: string;
  readonly perSecond: number;
  /** How many blocks of the target's sources were run; 0 if nobody looked. */
  readonly blocks: number;
};

const { targets: names, progress, isGuided, ...options }: Job = workerData;
const counter = new Int32Array(progress);
const coverage = isGuided ? new Coverage() : undefined;
// Imported only now, so that coverage counts its functions.
const { targets } = await import("./targets/index.ts");
for (const [at, name] of names.entries()) {
  Atomics.store(counter, 0, at);
  const target = targets.find((each) => each.name === name);
  if (target === undefined) throw new Error(`no target ${name}`);
  coverage?.watch(target.sources);
  const startMs = performance.now();
  const onCase = (done: number): unknown => Atomics.store(counter, 1, done);
  const result = await runCases(target, { ...options, coverage, onCase });
  const perSecond = Math.round((result.cases * 1000) / (performance.now() - startMs));
  const blocks = coverage?.reached ?? 0;
  parentPort?.postMessage({ ...result, target: name, perSecond, blocks } satisfies Answer);
}
coverage?.close();
