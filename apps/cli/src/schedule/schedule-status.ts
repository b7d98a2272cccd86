import type { Context } from "../context.ts";
import { type Interval, secondsOf } from "./interval.ts";
import type { LastRun } from "./last-run.ts";

/** What `pond schedule status --json` prints. */
export type ScheduleStatus = {
  /** `systemd`, `cron` or `launchd`; null if nothing is scheduled. */
  readonly scheduler: string | null;
  /** Null if the file was changed by hand. */
  readonly every: string | null;
  /** Absolute file paths; `crontab` for the user's crontab. */
  readonly places: readonly string[];
  readonly last_run: LastRun | null;
  /** Null if the scheduler does not tell. */
  readonly next_run: string | null;
  /**
   * Since when it has not run although it should have: the program may be gone. Null if it runs, or
   * nothing says when it should.
   */
  readonly silent_since: string | null;
};

/** Machines sleep and are switched off: a day says nothing yet. */
const graceMs = 24 * 3_600_000;

/** Whether pond is scheduled, when it ran and when it will. */
export async function scheduleStatus(context: Context): Promise<ScheduleStatus> {
  const { findSchedule, schedulersOf } = await import("./schedulers.ts");
  const { readLastRun, readStartMs } = await import("./last-run.ts");
  const found = await findSchedule(schedulersOf(context));
  const next = await found?.scheduler.next();
  const last = await readLastRun(context);
  const since = Math.max(await readStartMs(context), Date.parse(last?.finished_at ?? "") || 0);
  return {
    scheduler: found?.scheduler.kind ?? null,
    every: found?.every ?? null,
    places: found?.places ?? [],
    last_run: last ?? null,
    next_run: next?.toISOString() ?? null,
    silent_since: silentSince(found?.every ?? null, since, context.now()),
  };
}

/** @param lastRunMs - When it last ran or was started; 0 if neither is known. */
function silentSince(every: Interval | null, lastRunMs: number, now: Date): string | null {
  if (every === null || lastRunMs === 0) return null;
  const isSilent = now.getTime() - lastRunMs > graceMs + 3 * secondsOf(every) * 1000;
  return isSilent ? new Date(lastRunMs).toISOString() : null;
}
