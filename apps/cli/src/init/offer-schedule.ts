import type { Context } from "../context.ts";
import { say, shown, shownLine } from "../output/shown.ts";
import { tell } from "../output/tell.ts";
import { scheduleStatus } from "../schedule/schedule-status.ts";
import type { FoundSchedule } from "../schedule/schedulers.ts";
import { readJournal, record, writeJournal } from "./journal.ts";
import type { Offer } from "./offer-mcp.ts";
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
  { isDry, asker, signal }: Offer,
): Promise<OfferedSchedule | null> {
  const { output } = context;
  const { findSchedule, firstUsable, schedulersOf, startWith } = await import(
    "../schedule/schedulers.ts"
  );
  const { createJob } = await import("../schedule/job.ts");
  const { noteStart } = await import("../schedule/last-run.ts");
  const schedulers = schedulersOf(context);
  const is = async (state: State, message: string | null = null) => {
    if (!output.isJson) saySchedule(context, state, message);
    return { ...(await scheduleStatus(context)), state, message };
  };
  const failed = (error: unknown) =>
    is("failed", error instanceof Error ? error.message : String(error));
  const there = await findSchedule(schedulers);
  try {
    if (there !== undefined && (await isToStay(context, there, isStoreNamed))) return is("already");
  } catch (error) {
    return failed(error);
  }
  const usable = await firstUsable(schedulers);
  const scheduler = there?.scheduler ?? usable.scheduler;
  if (scheduler === undefined) {
    return is("unavailable", `${usable.why}: run \`pond sync\` now and then`);
  }
  // However often it runs, somebody chose that.
  const every = there?.every ?? "1h";
  const often = every === "1h" ? "every hour" : `every ${every}`;
  const instead = there === undefined ? "" : ", in the place of the one that is there";
  const message = `${often}, with ${scheduler.kind}${instead}`;
  if (isDry) return is("planned", message);
  const question = `Sync ${often} in the background, with ${scheduler.kind}${instead}?`;
  if (!((await asker?.confirm(question)) ?? true)) return null;
  signal.throwIfAborted();
  const before = await readJournal(context);
  try {
    const job = await createJob(context, every);
    if (there === undefined) {
      await record(context, { kind: "schedule" });
      await startWith(schedulers, job);
    }
    // Whether it is removed when all this is undone was settled when it was started.
    else await scheduler.start(job);
    await noteStart(context, context.now());
    return await is("started", message);
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
async function isToStay(
  context: Context,
  { scheduler, every, namesStore }: FoundSchedule,
  isStoreNamed: boolean,
): Promise<boolean> {
  if (every === null || (namesStore && !isStoreNamed)) return true;
  if ((await scheduler.whyUnusable()) !== undefined) return true;
  const { jobOf } = await import("../schedule/job.ts");
  return scheduler.has(jobOf(context, every));
}

function saySchedule({ output }: Context, state: State, message: string | null): void {
  const told: Readonly<Record<State, string>> = {
    planned: "to be started",
    started: "started",
    already: "already there, and left as it is",
    unavailable: "none",
    failed: "failed",
  };
  const why = message === null ? shown("") : say`: ${shownLine(message)}`;
  const line = say`Schedule: ${shown(told[state])}${why}`;
  if (state === "failed") output.warn(line);
  else tell(output, line);
}
