import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "../context.ts";
import { replaceFile } from "../replace-file.ts";
import { isTime, readStateFile } from "../state-directory.ts";

/** The last time the schedule ran a sync; times as RFC 3339. */
export type LastRun = {
  readonly started_at: string;
  readonly finished_at: string;
  readonly exit_code: number;
};

type SettingsContext = Pick<Context, "settings">;

export async function writeLastRun(context: SettingsContext, run: LastRun): Promise<void> {
  await replaceFile(fileOf(context), `${JSON.stringify(run)}\n`);
}

/** Undefined if it has not run yet. */
export async function readLastRun(context: SettingsContext): Promise<LastRun | undefined> {
  const run = await readStateFile(fileOf(context));
  return isLastRun(run) ? run : undefined;
}

/**
 * Notes when a schedule was started, because cron does not say. The schedule runs even if that
 * cannot be written.
 */
export async function recordStart(context: SettingsContext, at: Date): Promise<void> {
  const text = `${JSON.stringify({ started_at: at.toISOString() })}\n`;
  await replaceFile(startFile(context), text).catch(() => undefined);
}

/** Removes the note when the schedule is stopped; one that has to stay does no harm. */
export async function removeStart(context: SettingsContext): Promise<void> {
  await rm(startFile(context), { force: true }).catch(() => undefined);
}

/** In milliseconds; 0 if it is not known. */
export async function readStartMs(context: SettingsContext): Promise<number> {
  const { started_at } = Object(await readStateFile(startFile(context)));
  return isTime(started_at) ? Date.parse(started_at) : 0;
}

/** Where schedulers that keep no log write the output of a run. */
export function logFile({ settings }: SettingsContext): string {
  return join(settings.directories.state, "schedule.log");
}

function startFile({ settings }: SettingsContext): string {
  return join(settings.directories.state, "schedule-start.json");
}

function fileOf({ settings }: SettingsContext): string {
  return join(settings.directories.state, "schedule.json");
}

function isLastRun(value: unknown): value is LastRun {
  if (typeof value !== "object" || value === null) return false;
  const { started_at, finished_at, exit_code } = value as Partial<LastRun>;
  return isTime(started_at) && isTime(finished_at) && Number.isInteger(exit_code);
}
