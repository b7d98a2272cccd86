import type { Context } from "../context.ts";
import type { LastRun } from "./last-run.ts";

/** What `pond schedule status --json` prints. */
export type ScheduleStatus = {
  /** `systemd`, `cron` or `launchd`; null where nothing is scheduled. */
  readonly scheduler: string | null;
  /** Null where the file was changed by hand. */
  readonly every: string | null;
  /** Files, absolute; `crontab` for the user's table of cron. */
  readonly places: readonly string[];
  readonly last_run: LastRun | null;
  /** Null where the scheduler does not tell. */
  readonly next_run: string | null;
};

/** Whether pond is scheduled, when it ran and when it will. */
export async function scheduleStatus(context: Context): Promise<ScheduleStatus> {
  const { findSchedule, schedulersOf } = await import("./schedulers.ts");
  const { readLastRun } = await import("./last-run.ts");
  const found = await findSchedule(schedulersOf(context));
  const next = await found?.scheduler.next();
  return {
    scheduler: found?.scheduler.kind ?? null,
    every: found?.every ?? null,
    places: found?.places ?? [],
    last_run: (await readLastRun(context)) ?? null,
    next_run: next?.toISOString() ?? null,
  };
}
