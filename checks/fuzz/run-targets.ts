import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Answer, Job } from "./worker.ts";

export type RunTargetsOptions = {
  /** The number of cases for each target. */
  readonly cases: number;
  readonly seed: number;
  /** Measures which code a case reaches, and builds on cases that reach new code. */
  readonly isGuided: boolean;
  /** The longest time for one case. Default: 20 s, because the machine may be busy. */
  readonly maxCaseMs?: number;
  /** Default: 1024. */
  readonly maxHeapMb?: number;
  /** Called as each target is done. */
  readonly onAnswer?: (answer: Answer) => void;
};

const defaults = { maxCaseMs: 20_000, maxHeapMb: 1024 };

/**
 * Runs targets in a separate thread, which is ended if a case takes too long or too much memory.
 *
 * @throws {Error} naming the target, the case, its seed and the folder that holds its files.
 */
export async function runTargets(
  targets: readonly string[],
  options: RunTargetsOptions,
): Promise<readonly Answer[]> {
  const { cases, seed, isGuided, maxCaseMs, maxHeapMb, onAnswer } = { ...defaults, ...options };
  const scratch = mkdtempSync(join(tmpdir(), "pond-fuzz-"));
  const progress = new SharedArrayBuffer(8);
  const counter = new Int32Array(progress);
  const place = (): string =>
    `${targets[Atomics.load(counter, 0)]}: case ${Atomics.load(counter, 1)} of seed ${seed}, files in ${scratch}`;
  const workerData: Job = { targets, cases, seed, scratch, isGuided, progress };
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    workerData,
    execArgv: ["--conditions=@pond/source"],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
  });
  const answers: Answer[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      let last = "";
      let sinceMs = performance.now();
      const watch = setInterval(() => {
        if (place() !== last) [last, sinceMs] = [place(), performance.now()];
        else if (performance.now() - sinceMs > maxCaseMs) reject(new Error("takes too long"));
      }, 500);
      worker.on("message", (answer: Answer) => {
        answers.push(answer);
        onAnswer?.(answer);
      });
      worker.once("error", reject);
      worker.once("exit", () => {
        clearInterval(watch);
        if (answers.length === targets.length) resolve();
        else reject(new Error("the thread ended"));
      });
    });
  } catch (error) {
    // The files of the case stay, so that somebody can look at them.
    throw new Error(`${place()}: ${String(error)}`, { cause: error });
  } finally {
    await worker.terminate();
  }
  rmSync(scratch, { recursive: true, force: true });
  return answers;
}
