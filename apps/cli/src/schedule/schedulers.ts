import type { Context } from "../context.ts";
import { SchedulerError } from "../errors.ts";
import { createCron } from "./cron.ts";
import { removeStart } from "./last-run.ts";
import { createLaunchd } from "./launchd.ts";
import type { Installed, Job, Machine, Scheduler } from "./scheduler.ts";
import { createSystemd } from "./systemd.ts";

/** The schedulers that may exist on this machine, the best first. */
export function schedulersOf(
  { env, home }: Pick<Context, "env" | "home">,
  platform: NodeJS.Platform = process.platform,
): readonly Scheduler[] {
  const machine: Machine = { env, home };
  const own = platform === "darwin" ? createLaunchd(machine) : createSystemd(machine);
  return [own, createCron(machine)];
}

export type Started = { readonly scheduler: Scheduler; readonly isNew: boolean };

/**
 * Makes the first one that works start the job, and stops the others.
 *
 * @throws {SchedulerError} if none works here, or the one that does refuses.
 */
export async function startJob(schedulers: readonly Scheduler[], job: Job): Promise<Started> {
  const { scheduler, why } = await firstUsable(schedulers);
  if (scheduler === undefined) {
    throw new SchedulerError(
      `${why}: have whatever starts programs on this machine start \`pond schedule run\``,
    );
  }
  const isNew = await startOrCleanUp(scheduler, job);
  // Running twice would be once too often.
  for (const other of schedulers) if (other !== scheduler) await other.stop();
  return { scheduler, isNew };
}

/** Leaves no file behind if it fails: that would be taken for a schedule. */
async function startOrCleanUp(scheduler: Scheduler, job: Job): Promise<boolean> {
  const existing = await scheduler.installed();
  try {
    return await scheduler.start(job);
  } catch (error) {
    if (existing === undefined) await scheduler.stop().catch(() => false);
    throw error;
  }
}

type Usable =
  | { readonly scheduler: Scheduler; readonly why?: undefined }
  | { readonly scheduler?: undefined; readonly why: string };

/** The first one that works, or why none does. */
export async function firstUsable(schedulers: readonly Scheduler[]): Promise<Usable> {
  const reasons: string[] = [];
  for (const scheduler of schedulers) {
    const reason = await scheduler.whyUnusable();
    if (reason === undefined) return { scheduler };
    reasons.push(reason);
  }
  const kinds = schedulers.map(({ kind }) => kind).join(" nor ");
  return { why: `neither ${kinds} works here (${reasons.join("; ")})` };
}

export type FoundSchedule = Installed & { readonly scheduler: Scheduler };

/** What pond wrote for any of them, whether that one works now or not. */
export async function findSchedule(
  schedulers: readonly Scheduler[],
): Promise<FoundSchedule | undefined> {
  for (const scheduler of schedulers) {
    const installed = await scheduler.installed();
    if (installed !== undefined) return { ...installed, scheduler };
  }
  return undefined;
}

/** @returns The kinds that had something of pond's. */
export async function stopAll(context: Context): Promise<Scheduler["kind"][]> {
  const stopped: Scheduler["kind"][] = [];
  for (const scheduler of schedulersOf(context)) {
    if (await scheduler.stop()) stopped.push(scheduler.kind);
  }
  await removeStart(context);
  return stopped;
}
