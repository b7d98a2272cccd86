import { parentPort, workerData } from "node:worker_threads";
import { Coverage } from "./coverage.ts";
import { type RunResult, runCases } from "./run-cases.ts";

/** What a worker is to run, one target after the other. */
export type Job = {
  readonly targets: readonly string[];
  readonly cases: number;
  readonly seed: number;
  readonly scratch: string;
  readonly isGuided: boolean;
  /** Told the number of the target under way and of its case. */
  readonly progress: SharedArrayBuffer;
};

/** What it answers for each. */
export type Answer = RunResult & {
  readonly target: string;
  readonly perSecond: number;
  /** How many blocks of the target's sources were run; 0 where nobody looked. */
  readonly blocks: number;
};

const { targets: names, progress, isGuided, ...options }: Job = workerData;
const counter = new Int32Array(progress);
const coverage = isGuided ? new Coverage() : undefined;
// Only now, for the sake of the coverage.
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
