import { existsSync } from "node:fs";
import type { SessionStore } from "@pond/sessions";
import type { Stage, SyncOptions } from "@pond/sync";
import { Command, Option } from "commander";
import { parsePath } from "../arguments.ts";
import { type AdapterChoice, chooseAdapters } from "../choose-adapters.ts";
import { type Context, withStore, withWholeStore } from "../context.ts";
import { type CopyJson, printCopy } from "../copy-report.ts";
import { shortenHome } from "../directories.ts";
import { type OpenedEmbedder, withEmbedder } from "../embedder.ts";
import { type Embeddings, whyOff } from "../embeddings.ts";
import { UsageError } from "../errors.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { onInterrupt } from "../interrupt.ts";
import { rememberSync } from "../last-sync.ts";
import { describeMissing } from "../missing-clients.ts";
import { printJson } from "../output/json.ts";
import { formatCounted } from "../output/numbers.ts";
import { ProgressLine } from "../output/progress.ts";
import { type SafeText, safe, safeText } from "../output/safe-text.ts";
import { factsOf, isAbort, printError, reportStopped, toWireError } from "../report-error.ts";
import type { RunAction } from "../run.ts";
import { runSync, type SyncOutcome } from "../run-sync.ts";
import type { Settings } from "../settings.ts";
import { storeStateDirectory } from "../state-directory.ts";
import { type ArchiveJson, checkArchive, printArchive, storeArchive } from "../store-archive.ts";
import { showStopping, showSync } from "../sync-progress.ts";
import { printSync, type SummaryOptions } from "../sync-summary.ts";
import { version } from "../version.ts";
import { warnOfFailure } from "../warn-of-failure.ts";

type SyncFlags = {
  readonly path?: string;
  readonly only?: Stage;
  readonly skip?: Stage;
  readonly forceEmbed?: boolean;
  readonly verify?: boolean;
  readonly dryRun?: boolean;
  readonly importFrom?: string;
};

// Written out, because importing them would load the engine to print a help text; a test compares.
export const stageNames: readonly Stage[] = ["import", "embed", "update-indexes"];

export function syncCommand(run: RunAction): Command {
  return new Command("sync")
    .description("store the new and changed sessions of the clients on this machine")
    .argument("[adapter...]", "clients to read (default: all found)")
    .option(
      "--path <dir>",
      "read this home, session folder or file instead of the client's own",
      parsePath,
    )
    .addOption(new Option("--only <stage>", "run only this stage").choices(stageNames))
    .addOption(new Option("--skip <stage>", "leave this stage out").choices(stageNames))
    .option("--force-embed", "make every vector again, also those of the same model")
    .option(
      "--import-from <file.pond>",
      "first store the sessions of a file that `pond export` wrote",
    )
    .option("--verify", "read everything again, and mend what is missing or damaged")
    .option("--dry-run", "show what would be read and embedded, and store nothing")
    .action((names: string[], flags: SyncFlags, command: Command) =>
      run(command, (context) => sync(context, names, flags)),
    );
}

export async function sync(
  context: Context,
  names: readonly string[],
  flags: SyncFlags,
): Promise<ExitCode> {
  const { output, now, settings } = context;
  const stages = stagesOf(flags, settings.embeddings);
  if (takesLong(stages, flags, settings)) await context.tuneMemory?.("batches");
  const choice = await chooseAdapters(context, names, flags.path);
  const progress = new ProgressLine(output);
  const { signal, stop } = onInterrupt();
  signal.addEventListener("abort", () => showStopping(progress));
  const options = {
    adapters: choice.adapters.map(({ origin }) => origin),
    stages,
    isEmbedForced: flags.forceEmbed ?? false,
    isVerifying: flags.verify ?? false,
    // Whoever asks for only this stage wants it done, not weighed.
    isFoldForced: flags.only === "update-indexes",
    software: `pond ${version()}`,
    onProgress: (event) => showSync(progress, event),
    onPlanned: async ({ bytes }) => {
      // Nothing is written yet; but for an archive, everything would be read once more.
      const isAtOnce = bytes < largeImportBytes || flags.importFrom !== undefined;
      if (isAtOnce || signal.aborted) return;
      progress.clear();
      await context.tuneMemory?.("batches");
    },
    now,
    signal,
  } satisfies Partial<SyncOptions>;
  const isPreview = flags.dryRun ?? false;
  let archive: CopyJson | ArchiveJson | undefined;
  let outcome: SyncOutcome;
  try {
    if (flags.importFrom !== undefined) {
      const take = isPreview ? checkArchive : storeArchive;
      archive = await take(context, flags.importFrom, progress, signal);
    }
    outcome = await (isPreview ? preview : store)(context, choice, options);
  } catch (error) {
    if (!isAbort(error) || isPreview) throw error;
    progress.clear();
    return reportStopped(output, remainingText(0));
  } finally {
    progress.clear();
    stop();
  }
  if (archive && !output.isJson) {
    if ("tables" in archive) printCopy(context, archive);
    else printArchive(context, archive);
  }
  const missing = describeMissing(context, choice, names);
  return finish(context, outcome, { isPreview, archive, missing });
}

// Restarting takes a tenth of a second, and so many bytes take seconds.
const largeImportBytes = 64 * 1024 * 1024;

/**
 * A first import takes in everything, `--verify` and a forced fold read all of it, and a model is
 * large.
 */
function takesLong(
  stages: readonly Stage[],
  { verify = false, only }: SyncFlags,
  { location, embeddings, directories }: Settings,
): boolean {
  // Whether an object store is new is not known before it is opened, which then happens twice.
  const isFirst = !existsSync(location.includes("://") ? directories.state : location);
  const isWhole = isFirst || verify || only === "update-indexes";
  return isWhole || (stages.includes("embed") && embeddings.isOn);
}

type Options = Omit<SyncOptions, "stateDirectory" | "host">;

async function store(
  context: Context,
  { sources }: AdapterChoice,
  options: Options,
): Promise<SyncOutcome> {
  const { hostname } = await import("node:os");
  return withWholeStore(context, "write", async (sessions) => {
    const stateDirectory = storeStateDirectory(context, sessions.store.id);
    const failures: unknown[] = [];
    const onStateSaveFailed = (error: unknown): void => void failures.push(error);
    const all = { ...options, stateDirectory, host: hostname(), onStateSaveFailed };
    const use = (opened: OpenedEmbedder) => runSync(sessions, sources, all, opened);
    const outcome = await (options.stages?.includes("embed")
      ? withEmbedder(context, use)
      : use({}));
    const [failure] = failures;
    if (failure) {
      const place = shortenHome(stateDirectory, context.home);
      warnOfFailure(context.output, `${place}: the next sync reads all of this again`, failure);
    }
    await remember(context, stateDirectory, outcome);
    return outcome;
  });
}

/** The sessions are stored; if nobody will know when, the sync has not failed. */
async function remember({ output, now }: Context, stateDirectory: string, { report }: SyncOutcome) {
  try {
    const read = report.adapters.filter(
      ({ sessions, faults }) => sessions.seen + faults.length > 0,
    );
    const clients = read.map(({ name }) => name);
    await rememberSync(stateDirectory, clients, now());
  } catch (error) {
    warnOfFailure(output, "`pond status` will not know when this was", error);
  }
}

async function preview(
  context: Context,
  { sources }: AdapterChoice,
  options: Options,
): Promise<SyncOutcome> {
  const { previewSync } = await import("@pond/sync");
  const { StoreNotFoundError } = await import("@pond/substrate");
  const preview = async (
    sessions: SessionStore | undefined,
    { embedder, failure }: OpenedEmbedder,
  ): Promise<SyncOutcome> => {
    const stateDirectory = storeStateDirectory(context, sessions?.store.id ?? "none");
    const all = { ...options, embedder, stateDirectory, host: "" };
    return { report: await previewSync(sessions, sources, all), failure };
  };
  const look = (opened: OpenedEmbedder) =>
    withStore(context, "read", (sessions) => preview(sessions, opened)).catch((error: unknown) => {
      if (!(error instanceof StoreNotFoundError)) throw error;
      return preview(undefined, opened);
    });
  return options.stages?.includes("embed") ? withEmbedder(context, look) : look({});
}

async function finish(
  context: Context,
  { report, failure, isStopped }: SyncOutcome,
  { isPreview, archive, missing }: SummaryOptions & { readonly archive: object | undefined },
): Promise<ExitCode> {
  const { output } = context;
  const { hasFaults } = await import("@pond/sync");
  if (output.isJson) {
    const error = failure && toWireError(factsOf(failure));
    await printJson(output, { ...report, ...(archive && { archive }), ...(error && { error }) });
  } else {
    printSync(context, report, { isPreview, missing });
  }
  if (failure) printError(failure, output);
  if (isStopped) return reportStopped(output, remainingText(report.embedding?.remaining ?? 0));
  // Everything asked for before it is done; a script that asked only for vectors got none.
  if (failure && report.adapters.length === 0) return exitCodes.failed;
  const isFaulty = hasFaults(report.adapters) || (report.embedding?.failed ?? 0) > 0;
  return failure || isFaulty ? exitCodes.doneWithFaults : exitCodes.done;
}

function remainingText(unembedded: number): SafeText {
  return unembedded === 0
    ? safeText("What is stored so far stays; the next sync continues from there.")
    : safe`${formatCounted(unembedded, "message")} left to embed: \`pond sync\` continues.`;
}

/**
 * @throws {UsageError} for flags that contradict each other, or ask for vectors without a model.
 */
function stagesOf(
  { only, skip, forceEmbed, importFrom, verify, path }: SyncFlags,
  embeddings: Embeddings,
): Stage[] {
  if (only !== undefined && skip !== undefined) {
    throw new UsageError("--only and --skip do not go together: use one of them");
  }
  const stages = stageNames.filter(
    (stage) => (only === undefined || stage === only) && stage !== skip,
  );
  const neededStages = {
    "--force-embed": forceEmbed && "embed",
    "--import-from": importFrom !== undefined && "import",
    "--verify": verify && "import",
    "--path": path !== undefined && "import",
  } as const;
  for (const [flag, stage] of Object.entries(neededStages)) {
    if (stage && !stages.includes(stage)) {
      throw new UsageError(`${flag} needs the stage that --only or --skip leaves out`);
    }
  }
  if ((forceEmbed || only === "embed") && !embeddings.isOn) {
    throw new UsageError(`there is no model to embed with: ${whyOff(embeddings)}`);
  }
  return stages;
}
