import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { UsageError } from "../errors.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { onInterrupt } from "../interrupt.ts";
import type { Output } from "../output/output.ts";
import { printWrapped } from "../output/print-wrapped.ts";
import { joinSafe, safe, safeLine, safeText } from "../output/safe-text.ts";
import { isAbort, reportStopped } from "../report-error.ts";
import { type GlobalFlags, resolveSettings } from "../settings.ts";
import { type Asker, createAsker } from "./ask.ts";
import { configure } from "./configure.ts";
import { firstSync } from "./first-sync.ts";
import { type FoundClient, findClients } from "./found-clients.ts";
import { type Action, readJournal } from "./journal.ts";
import { offerMcp } from "./offer-mcp.ts";
import { offerSchedule } from "./offer-schedule.ts";
import { clientJson, type InitReport } from "./report.ts";
import { showFound } from "./show-found.ts";
import { undoAll } from "./undo.ts";

export type InitFlags = {
  readonly yes?: boolean;
  readonly client?: readonly string[];
  /** False with `--no-mcp`; likewise for the two below. */
  readonly mcp: boolean;
  readonly schedule: boolean;
  readonly sync: boolean;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
};

/** Asks at a terminal, unless told not to; otherwise takes every default. */
export async function init(
  context: Context,
  flags: InitFlags,
  globals: GlobalFlags,
): Promise<ExitCode> {
  if (flags.undo && flags.dryRun) {
    throw new UsageError("--undo takes back what was done: it does not go with --dry-run");
  }
  if (flags.undo) return undo(context);
  const { output } = context;
  const isAsking =
    !flags.yes && !flags.dryRun && !output.isJson && output.isTerminal && process.stdin.isTTY;
  if (!isAsking && !flags.yes && !flags.dryRun && !output.isJson) {
    output.note(
      safeText(
        "There is no terminal to ask at, so pond does everything, as with --yes. --dry-run shows what that is; --client NAME, --no-mcp, --no-schedule and --no-sync do less.",
      ),
    );
  }
  const { stdin: input, stdout } = process;
  const asker = isAsking
    ? createAsker({ input, output: stdout, columns: output.width })
    : undefined;
  try {
    return await initWith(context, flags, globals, asker);
  } finally {
    asker?.close();
  }
}

/** @param asker - Undefined if nobody is to be asked: the answer is always yes. */
export async function initWith(
  context: Context,
  flags: InitFlags,
  globals: GlobalFlags,
  asker?: Asker,
): Promise<ExitCode> {
  const before = await readJournal(context);
  const interrupt = onInterrupt();
  // A signal that is no key of the terminal would leave a question waiting for its answer.
  interrupt.signal.addEventListener("abort", () => asker?.close());
  const signals = [interrupt.signal, ...(asker ? [asker.closed] : [])];
  const steps = { asker, signal: AbortSignal.any(signals), stopListening: interrupt.stop };
  try {
    return await runSteps(context, flags, globals, steps);
  } catch (error) {
    if (!isAbort(error)) throw error;
    return reportStoppedSetup(context, before, await readJournal(context));
  } finally {
    interrupt.stop();
  }
}

type Steps = {
  readonly asker: Asker | undefined;
  /** Aborted by Ctrl-C, whoever receives it. */
  readonly signal: AbortSignal;
  /** Stops listening for Ctrl-C. */
  readonly stopListening: () => void;
};

async function runSteps(
  context: Context,
  flags: InitFlags,
  globals: GlobalFlags,
  { asker, signal, stopListening }: Steps,
): Promise<ExitCode> {
  const { output, env, home } = context;
  const found = await findClients(context, signal);
  const isDry = flags.dryRun ?? false;
  const named = flags.client && (await resolveNamed(found, flags.client));
  if (!output.isJson) printFound(context, found);
  const chosen = named ?? (await choose(found, asker));
  const noSteps = { config: null, mcp: [], schedule: null, sync: null };
  const report = { dry_run: isDry, clients: found.map((each) => clientJson(each, chosen)) };
  if (chosen.length === 0) {
    if (output.isJson) print(output, { ...report, ...noSteps });
    else if (found.length > 0)
      output.line(safeText("Nothing was chosen, and nothing was changed."));
    return exitCodes.done;
  }
  signal.throwIfAborted();
  const config = await configure(context, found, chosen, globals, isDry);
  // The rest uses what was just written.
  const settings = isDry ? context.settings : await resolveSettings(globals, env, home);
  // A store that was named is in the settings now; the one that the environment names is another.
  const { POND_STORAGE: _, ...others } = env;
  const configured = { ...context, settings, env: globals.storage === undefined ? env : others };
  const offer = { isDry, asker, signal };
  const isNamed = globals.storage !== undefined || globals.namespace !== undefined;
  const mcp = flags.mcp ? await offerMcp(configured, chosen, offer) : [];
  signal.throwIfAborted();
  const schedule = flags.schedule ? await offerSchedule(configured, isNamed, offer) : null;
  signal.throwIfAborted();
  const wantsSync =
    flags.sync && !isDry && ((await asker?.confirm("Store the sessions now?")) ?? true);
  // From here the terminal belongs to the sync, which a Ctrl-C has to reach.
  asker?.close();
  stopListening();
  const [exitCode, synced] = wantsSync ? await firstSync(configured) : [exitCodes.done, null];
  if (output.isJson) print(output, { ...report, config, mcp, schedule, sync: synced });
  else printNextSteps(context, isDry, await readJournal(context));
  if (exitCode !== exitCodes.done) return exitCode;
  const isFailed = mcp.some(({ state }) => state === "failed") || schedule?.state === "failed";
  return isFailed ? exitCodes.doneWithFaults : exitCodes.done;
}

/** Tells a user who leaves halfway what was done and how to continue. */
function reportStoppedSetup(
  { output }: Context,
  before: readonly Action[],
  after: readonly Action[],
): ExitCode {
  const left =
    after.length > before.length
      ? "What was done so far stays: `pond init` continues from there, `pond init --undo` undoes it."
      : "Nothing was changed.";
  return reportStopped(output, safeText(left));
}

function printFound(context: Context, found: readonly FoundClient[]): void {
  if (found.length > 0) showFound(context, found);
  else {
    printWrapped(
      context.output,
      safeText("No client that pond knows has a folder here; `pond adapters` says where it looks."),
    );
  }
}

/** @throws {UsageError} @throws {UnknownAdapterError} for a client that is not here. */
async function resolveNamed(
  found: readonly FoundClient[],
  asked: readonly string[],
): Promise<string[]> {
  const { adapterNamed } = await import("@pond/adapters");
  const names = found.map(({ name }) => name);
  const wanted = asked.map((name) => adapterNamed(name).origin);
  const missing = wanted.find((name) => !names.includes(name));
  if (missing === undefined) return names.filter((name) => wanted.includes(name));
  throw new UsageError(`${missing} has no folder here; found: ${names.join(", ") || "none"}`, {
    client: missing,
  });
}

async function choose(found: readonly FoundClient[], asker: Asker | undefined): Promise<string[]> {
  if (found.length === 0) return [];
  const names = found.map(({ name }) => name);
  const enabled = found.flatMap(({ isEnabled }, at) => (isEnabled ? [at] : []));
  const numbers = enabled.map((at) => at + 1).join(",") || "none";
  const question = `Which clients? Numbers, "all" or "none" [${numbers}]`;
  const picked = (await asker?.choose(question, found.length, enabled)) ?? enabled;
  return picked.flatMap((at) => names[at] ?? []);
}

function print(output: Output, report: InitReport): void {
  output.jsonText(JSON.stringify(report));
}

function printNextSteps({ output }: Context, isDry: boolean, done: readonly unknown[]): void {
  output.line();
  if (isDry) {
    printWrapped(
      output,
      safeText("Nothing was written. Without --dry-run, pond does all this and syncs."),
    );
    return;
  }
  const next = [
    safeText('Find something: pond search "what I remember of it"'),
    ...(done.length > 0 ? [safeText("Take all this back: pond init --undo")] : []),
  ];
  output.line(joinSafe(next, "\n"));
}

async function undo(context: Context): Promise<ExitCode> {
  const { output, home } = context;
  const undone = await undoAll(context);
  if (output.isJson) output.jsonText(JSON.stringify({ undone }));
  else if (undone.length === 0) output.line(safeText("There is nothing to undo."));
  else {
    for (const { what, state, message } of undone) {
      const why = message === null ? safeText("") : safe`: ${safeLine(message)}`;
      output.line(safe`${safeLine(shortenHome(what, home))}: ${safeText(state)}${why}`);
    }
    output.line(safeText("What pond has stored stays."));
  }
  const isIncomplete = undone.some(({ state }) => state === "kept" || state === "failed");
  return isIncomplete ? exitCodes.doneWithFaults : exitCodes.done;
}
