import { stat } from "node:fs/promises";
import type { Context } from "../context.ts";
import { secondsOf } from "./interval.ts";
import type { LastRun } from "./last-run.ts";
import type { Installed } from "./scheduler.ts";

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
  /**
   * Since when it does not run although it should: what it starts may be gone. Null where it runs, or
   * nothing says when it should.
   */
  readonly silent_since: string | null;
};

/** Machines sleep and are switched off: a day says nothing yet. */
const patienceMs = 24 * 3_600_000;

/** Whether pond is scheduled, when it ran and when it will. */
export async function scheduleStatus(context: Context): Promise<ScheduleStatus> {
  const { findSchedule, schedulersOf } = await import("./schedulers.ts");
  const { readLastRun } = await import("./last-run.ts");
  const found = await findSchedule(schedulersOf(context));
  const next = await found?.scheduler.next();
  const last = await readLastRun(context);
  return {
    scheduler: found?.scheduler.kind ?? null,
    every: found?.every ?? null,
    places: found?.places ?? [],
    last_run: last ?? null,
    next_run: next?.toISOString() ?? null,
    silent_since: (found && (await silentSince(found, last, context.now()))) ?? null,
  };
}

async function silentSince(
  { every, places }: Installed,
  last: LastRun | undefined,
  now: Date,
): Promise<string | undefined> {
  if (every === null) return undefined;
  const ran = last === undefined ? await writtenAtMs(places) : Date.parse(last.finished_at);
  const isSilent = now.getTime() - ran > patienceMs + 3 * secondsOf(every) * 1000;
  return isSilent ? new Date(ran).toISOString() : undefined;
}

/** NaN for a table of cron, which does not say. */
async function writtenAtMs(places: readonly string[]): Promise<number> {
  const found = await Promise.all(places.map((place) => stat(place).catch(() => undefined)));
  return Math.max(...found.map((each) => each?.mtimeMs ?? Number.NaN));
}
