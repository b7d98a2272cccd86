import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
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
  // What ran before it was stopped says nothing of one that was started since.
  const ranAt = last === undefined ? 0 : Date.parse(last.finished_at);
  const ran = Math.max(await writtenAtMs(places), ranAt);
  const isSilent = now.getTime() - ran > patienceMs + 3 * secondsOf(every) * 1000;
  return isSilent && ran > 0 ? new Date(ran).toISOString() : undefined;
}

/** 0 for a table of cron, which does not say. */
async function writtenAtMs(places: readonly string[]): Promise<number> {
  const files = places.filter((place) => isAbsolute(place));
  const found = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return Math.max(0, ...found.map((each) => each?.mtimeMs ?? 0));
}
