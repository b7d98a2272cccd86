import { dirname } from "node:path";
import type { Context } from "../context.ts";
import { makeFolder } from "../directories.ts";
import { ownCommand, recordedEnvironment, refuseNpx } from "../init/own-command.ts";
import type { Interval } from "./interval.ts";
import { logFile } from "./last-run.ts";
import type { Job } from "./scheduler.ts";

/**
 * What a scheduler starts: this very pond, which finds there what it finds here.
 *
 * @param flags - Those of this command line that the scheduled one needs, too.
 * @throws {UsageError} if pond will not be there later.
 */
export async function createJob(
  context: Context,
  every: Interval,
  flags: readonly string[] = [],
): Promise<Job> {
  const job = jobOf(context, every, flags);
  refuseNpx(job.command);
  // A scheduler that opens the log makes no folder for it.
  makeFolder(dirname(job.log));
  return job;
}

/** The same without anything being written. */
export function jobOf(context: Context, every: Interval, flags: readonly string[] = []): Job {
  return {
    every,
    command: [...ownCommand(), "schedule", "run", "--quiet", ...flags],
    env: recordedEnvironment(context.env, context.home),
    log: logFile(context),
  };
}
