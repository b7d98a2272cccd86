import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { TimeSpent } from "./stopwatch.ts";

/**
 * One run of any program. The processor time is that of the program and of what it started, to 10
 * ms; NaN if the system does not tell (only Linux does).
 */
export type ProgramRun = TimeSpent & { readonly stdout: string };

export type ProgramOptions = {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Exit codes that are not a failure; only 0 if left out. */
  readonly allowed?: readonly number[];
};

/** @throws {Error} unless it ends well. */
export function runProgram(
  file: string,
  args: readonly string[],
  { env, cwd, allowed = [0] }: ProgramOptions,
): ProgramRun {
  const cpuBeforeMs = childrenCpuMs();
  const startedMs = performance.now();
  const { status, error, stdout, stderr } = spawnSync(file, args, {
    ...{ encoding: "utf8", maxBuffer: 1 << 30, env },
    ...(cwd !== undefined && { cwd }),
  });
  const wallMs = performance.now() - startedMs;
  if (error) throw error;
  if (status === null || !allowed.includes(status)) {
    throw new Error(`${file} ${args.join(" ")}: ended with ${status}: ${stderr}`);
  }
  return { wallMs, cpuMs: childrenCpuMs() - cpuBeforeMs, stdout };
}

const msPerTick = 10;

/** What every child that has ended used, and the children of those. */
function childrenCpuMs(): number {
  if (process.platform !== "linux") return Number.NaN;
  const stat = readFileSync("/proc/self/stat", "utf8");
  // The name, the second field, may hold anything; 13 fields after it are the children's two times.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * msPerTick;
}
