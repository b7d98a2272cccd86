import { cpSync, rmSync, watch } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Finished, finished, type Home } from "../e2e/pond.ts";

/** Copies `from` to `to`: its store, its state files and its configuration. */
export function copyHome(from: Home, to: Home): void {
  rmSync(to.folder, { recursive: true, force: true });
  cpSync(from.folder, to.folder, { recursive: true, preserveTimestamps: true });
}

/** Runs a command that has to succeed. */
export async function done(home: Home, ...args: readonly string[]): Promise<Finished> {
  const run = await home.pond(...args);
  if (run.code !== 0) {
    throw new Error(`pond ${args.join(" ")} ended with ${run.code}: ${run.stderr}${run.stdout}`);
  }
  return run;
}

export type Killed = Finished & {
  /** False if it ended before its moment came. */
  readonly isKilled: boolean;
  /** How many changes to files were seen. */
  readonly changes: number;
};

/** The moment to kill a process: some time after a number of changes to files in its home. */
export type Moment = { readonly change: number; readonly delayMs: number };

/** Runs a command and kills it at a moment of its work, as if the machine had failed. */
export async function killed(
  home: Home,
  args: readonly string[],
  moment?: Moment,
): Promise<Killed> {
  let changes = 0;
  let isOver = false;
  let isKilled = false;
  const watcher = watch(home.folder, { recursive: true });
  const child = home.start(...args);
  const kill = async (delayMs: number): Promise<void> => {
    await sleep(delayMs);
    if (!isOver) isKilled = child.kill("SIGKILL");
  };
  watcher.on("change", () => {
    changes += 1;
    if (changes === moment?.change) void kill(moment.delayMs);
  });
  if (moment?.change === 0) void kill(moment.delayMs);
  const end = await finished(child);
  isOver = true;
  watcher.close();
  return { ...end, isKilled: isKilled && end.code === null, changes };
}
