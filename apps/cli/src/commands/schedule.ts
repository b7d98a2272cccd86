import { Command } from "commander";
import { absoluteStorage } from "../config-values.ts";
import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printWrapped } from "../output/print-wrapped.ts";
import { safe, safeLine, safeText } from "../output/safe-text.ts";
import { formatMoment } from "../output/time.ts";
import { reportError } from "../report-error.ts";
import type { RunAction } from "../run.ts";
import { type Interval, parseInterval } from "../schedule/interval.ts";
import type { LastRun } from "../schedule/last-run.ts";
import { type ScheduleStatus, scheduleStatus } from "../schedule/schedule-status.ts";
import type { GlobalFlags } from "../settings.ts";
import { sync } from "./sync.ts";

export function scheduleCommand(run: RunAction): Command {
  const start = new Command("start")
    .description("have systemd, cron or launchd run `pond sync` in the background")
    .option("--every <interval>", "how often, such as 15m, 1h or 1d", parseInterval, "1h")
    .action(({ every }: { readonly every: Interval }, command: Command) =>
      run(command, (context) => startSchedule(context, every, command.optsWithGlobals())),
    );
  const stop = new Command("stop")
    .description("remove what `pond schedule start` wrote, and nothing else")
    .action((_flags: unknown, command: Command) => run(command, stopSchedule));
  const status = new Command("status")
    .description("show whether pond is scheduled, when it ran last and runs next")
    .action((_flags: unknown, command: Command) => run(command, showStatus));
  const now = new Command("run")
    .description("sync and note the time: the command that the schedule starts")
    .action((_flags: unknown, command: Command) => run(command, runScheduled));
  return new Command("schedule")
    .description("sync in the background: `pond schedule start`")
    .addCommand(start)
    .addCommand(stop)
    .addCommand(status)
    .addCommand(now);
}

async function startSchedule(
  context: Context,
  every: Interval,
  flags: GlobalFlags,
): Promise<ExitCode> {
  const { schedulersOf, startJob } = await import("../schedule/schedulers.ts");
  const { createJob } = await import("../schedule/job.ts");
  const { recordStart } = await import("../schedule/last-run.ts");
  const schedulers = schedulersOf(context);
  const job = await createJob(context, every, storeFlags(flags, context.home));
  const { isNew } = await startJob(schedulers, job);
  if (isNew) await recordStart(context, context.now());
  const status = await scheduleStatus(context);
  const { output } = context;
  if (output.isJson) output.jsonText(JSON.stringify({ ...status, changed: isNew }));
  else {
    if (!isNew) output.note(safeText("Already scheduled like this; nothing was changed."));
    print(context, status);
  }
  return exitCodes.done;
}

async function stopSchedule(context: Context): Promise<ExitCode> {
  const { stopAll } = await import("../schedule/schedulers.ts");
  const removed = await stopAll(context);
  const { output } = context;
  if (output.isJson) output.jsonText(JSON.stringify({ removed }));
  else if (removed.length === 0) output.line(safeText("Nothing was scheduled."));
  else output.line(safe`No longer scheduled with ${safeText(removed.join(" and "))}.`);
  return exitCodes.done;
}

async function showStatus(context: Context): Promise<ExitCode> {
  const status = await scheduleStatus(context);
  if (context.output.isJson) context.output.jsonText(JSON.stringify(status));
  else print(context, status);
  return exitCodes.done;
}

/** A failure is noted, too, because `pond schedule status` is where somebody looks. */
async function runScheduled(context: Context): Promise<ExitCode> {
  const { writeLastRun } = await import("../schedule/last-run.ts");
  const started_at = context.now().toISOString();
  const exit_code = await sync(context, [], {}).catch((error: unknown) =>
    reportError(error, context.output),
  );
  await writeLastRun(context, { started_at, finished_at: context.now().toISOString(), exit_code });
  return exit_code;
}

function print({ output, home }: Context, status: ScheduleStatus): void {
  const { scheduler, every, places, last_run: last, next_run: next, silent_since } = status;
  if (scheduler === null)
    printWrapped(output, safeText("Not scheduled: `pond schedule start` starts it."));
  else {
    const interval = every === null ? safeText("as its file says") : safe`every ${safeText(every)}`;
    output.line(safe`Scheduled with ${safeText(scheduler)}, ${interval}.`);
    for (const place of places) {
      output.line(output.style.faint(safe`  ${safeLine(shortenHome(place, home))}`));
    }
  }
  if (last !== null)
    printWrapped(output, safe`Last run ${formatMoment(last.started_at)}: ${outcomeOf(last)}.`);
  if (next !== null) printWrapped(output, safe`Next run ${formatMoment(next)}.`);
  if (silent_since !== null) {
    const why = safeText(
      "it should have: `pond schedule start` writes it again, for where pond is now",
    );
    output.note(safe`Nothing ran since ${formatMoment(silent_since)}, and ${why}.`);
  }
}

function outcomeOf({ exit_code }: LastRun) {
  if (exit_code === exitCodes.done) return safeText("done");
  if (exit_code === exitCodes.doneWithFaults) {
    return safeText("done, with faults that `pond sync` names");
  }
  return safeText(`failed with exit code ${exit_code}; \`pond sync\` says why`);
}

/** The store that was named here is the one that the schedule fills. */
function storeFlags({ storage, namespace }: GlobalFlags, home: string): string[] {
  return [
    ...(storage === undefined ? [] : ["--storage", absoluteStorage(storage, home)]),
    ...(namespace === undefined ? [] : ["--namespace", namespace]),
  ];
}
