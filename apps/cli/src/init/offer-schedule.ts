import type { Context } from "../context.ts";
import { say, shown, shownLine } from "../output/shown.ts";
import { tell } from "../output/tell.ts";
import { scheduleStatus } from "../schedule/schedule-status.ts";
import { readJournal, record, writeJournal } from "./journal.ts";
import type { Offer } from "./offer-mcp.ts";
import type { OfferedSchedule } from "./report.ts";

type State = OfferedSchedule["state"];

/** Starts a schedule where there is none. @returns Null where it was refused. */
export async function offerSchedule(
  context: Context,
  { isDry, asker, signal }: Offer,
): Promise<OfferedSchedule | null> {
  const { output } = context;
  const { findSchedule, firstUsable, schedulersOf, startWith } = await import(
    "../schedule/schedulers.ts"
  );
  const { createJob } = await import("../schedule/job.ts");
  const schedulers = schedulersOf(context);
  const is = async (state: State, message: string | null = null) => {
    if (!output.isJson) saySchedule(context, state, message);
    return { ...(await scheduleStatus(context)), state, message };
  };
  // However often it runs, somebody chose that.
  if ((await findSchedule(schedulers)) !== undefined) return is("already");
  const { scheduler, why } = await firstUsable(schedulers);
  if (scheduler === undefined) {
    return is("unavailable", `${why}: run \`pond sync\` now and then`);
  }
  if (isDry) return is("planned", `every hour, with ${scheduler.kind}`);
  const question = `Sync every hour in the background, with ${scheduler.kind}?`;
  if (!((await asker?.confirm(question)) ?? true)) return null;
  signal.throwIfAborted();
  const before = await readJournal(context);
  try {
    const job = await createJob(context, "1h");
    await record(context, { kind: "schedule" });
    await startWith(schedulers, job);
    return await is("started", `every hour, with ${scheduler.kind}`);
  } catch (error) {
    // What was begun is taken back already.
    if ((await findSchedule(schedulers)) === undefined) await writeJournal(context, before);
    return is("failed", error instanceof Error ? error.message : String(error));
  }
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
