import type { Context } from "../context.ts";
import { printWrapped } from "../output/print-wrapped.ts";
import { safe, safeLine, safeText } from "../output/safe-text.ts";
import { scheduleStatus } from "../schedule/schedule-status.ts";
import type { FoundSchedule } from "../schedule/schedulers.ts";
import { readJournal, recordAction, writeJournal } from "./journal.ts";
import type { OfferOptions } from "./offer-mcp.ts";
import type { OfferedSchedule } from "./report.ts";

type State = OfferedSchedule["state"];

/**
 * Starts a schedule if there is none, and makes an existing one find what pond finds now.
 *
 * @param isStoreNamed - True if the flags of this command line named it; `config.toml` says it by
 * now.
 * @returns Null if it was refused.
 */
export async function offerSchedule(
  context: Context,
  isStoreNamed: boolean,
  { isDry, asker, signal }: OfferOptions,
): Promise<OfferedSchedule | null> {
  const { output } = context;
  const { findSchedule, firstUsable, schedulersOf, startJob } = await import(
    "../schedule/schedulers.ts"
  );
  const { createJob } = await import("../schedule/job.ts");
  const { recordStart } = await import("../schedule/last-run.ts");
  const schedulers = schedulersOf(context);
  const outcome = async (state: State, message: string | null = null) => {
    if (!output.isJson) printSchedule(context, state, message);
    return { ...(await scheduleStatus(context)), state, message };
  };
  const failed = (error: unknown) =>
    outcome("failed", error instanceof Error ? error.message : String(error));
  const existing = await findSchedule(schedulers);
  try {
    if (existing !== undefined && (await shouldKeep(context, existing, isStoreNamed)))
      return outcome("already");
  } catch (error) {
    return failed(error);
  }
  const usable = await firstUsable(schedulers);
  const scheduler = existing?.scheduler ?? usable.scheduler;
  if (scheduler === undefined) {
    return outcome("unavailable", `${usable.why}: run \`pond sync\` now and then`);
  }
  // However often it runs, somebody chose that.
  const every = existing?.every ?? "1h";
  const interval = every === "1h" ? "every hour" : `every ${every}`;
  const instead = existing === undefined ? "" : ", in the place of the one that is there";
  const message = `${interval}, with ${scheduler.kind}${instead}`;
  if (isDry) return outcome("planned", message);
  const question = `Sync ${interval} in the background, with ${scheduler.kind}${instead}?`;
  if (!((await asker?.confirm(question)) ?? true)) return null;
  signal.throwIfAborted();
  const before = await readJournal(context);
  try {
    const job = await createJob(context, every);
    if (existing === undefined) {
      await recordAction(context, { kind: "schedule" });
      await startJob(schedulers, job);
    }
    // Whether it is removed when all this is undone was settled when it was started.
    else await scheduler.start(job);
    await recordStart(context, context.now());
    return await outcome("started", message);
  } catch (error) {
    // What was begun has been taken back already.
    if ((await findSchedule(schedulers)) === undefined) await writeJournal(context, before);
    return failed(error);
  }
}

/**
 * True for a schedule that is as it would be made now, or that somebody made differently on
 * purpose.
 */
async function shouldKeep(
  context: Context,
  { scheduler, every, namesStore }: FoundSchedule,
  isStoreNamed: boolean,
): Promise<boolean> {
  if (every === null || (namesStore && !isStoreNamed)) return true;
  if ((await scheduler.whyUnusable()) !== undefined) return true;
  const { jobOf } = await import("../schedule/job.ts");
  return scheduler.has(jobOf(context, every));
}

function printSchedule({ output }: Context, state: State, message: string | null): void {
  const stateTexts: Readonly<Record<State, string>> = {
    planned: "to be started",
    started: "started",
    already: "already there, and left as it is",
    unavailable: "none",
    failed: "failed",
  };
  const why = message === null ? safeText("") : safe`: ${safeLine(message)}`;
  const line = safe`Schedule: ${safeText(stateTexts[state])}${why}`;
  if (state === "failed") output.warn(line);
  else printWrapped(output, line);
}
