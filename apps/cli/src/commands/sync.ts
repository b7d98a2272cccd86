import type { Source, Stage, SyncOptions } from "@pond/sync";
import { Command, Option } from "commander";
import { type AdapterChoice, chooseAdapters } from "../choose-adapters.ts";
import { type Context, withStore } from "../context.ts";
import { UsageError } from "../errors.ts";
import { type ExitCode, exitCodes } from "../exit.ts";
import { onInterrupt } from "../interrupt.ts";
import { printJson } from "../output/json.ts";
import { ProgressLine } from "../output/progress.ts";
import type { RunAction } from "../run.ts";
import { printSync } from "../sync-summary.ts";
import { version } from "../version.ts";

type SyncFlags = {
  readonly path?: string;
  readonly only?: Stage;
  readonly skip?: Stage;
  readonly verify?: boolean;
  readonly dryRun?: boolean;
};

// Written out, because importing them would load the engine to print a help text; a test compares.
export const stageNames: readonly Stage[] = ["import", "embed", "update-indexes"];

export function syncCommand(run: RunAction): Command {
  return new Command("sync")
    .description("store the sessions of the clients on this machine, those that changed")
    .argument("[adapter...]", "clients to read (default: every one found)")
    .option("--path <dir>", "read this home, session folder or file instead of the client's own")
    .addOption(new Option("--only <stage>", "run one stage").choices(stageNames))
    .addOption(new Option("--skip <stage>", "leave one stage out").choices(stageNames))
    .option("--verify", "read everything again and compare it with what is stored")
    .option("--dry-run", "say what would be read; read and store nothing")
    .action((names: string[], flags: SyncFlags, command: Command) =>
      run(command, (context) => sync(context, names, flags)),
    );
}

async function sync(context: Context, names: readonly string[], flags: SyncFlags) {
  const choice = await chooseAdapters(context, names, flags.path);
  const { output, now } = context;
  const progress = new ProgressLine(output);
  const { signal, stop } = onInterrupt();
  const options = {
    adapters: choice.adapters.map(({ origin }) => origin),
    stages: stagesOf(flags),
    isVerifying: flags.verify ?? false,
    // Whoever asks for this stage alone wants it done, not weighed.
    isFoldForced: flags.only === "update-indexes",
    software: `pond ${version()}`,
    onProgress: (event) => progress.show(event),
    now,
    signal,
  } satisfies Partial<SyncOptions>;
  try {
    return flags.dryRun
      ? await preview(context, choice, options)
      : await store(context, choice, options);
  } finally {
    progress.clear();
    stop();
  }
}

type Options = Omit<SyncOptions, "stateDirectory" | "host">;

async function store(context: Context, choice: AdapterChoice, options: Options) {
  const { hostname } = await import("node:os");
  const { sync: run } = await import("@pond/sync");
  const report = await withStore(context, "write", (sessions) =>
    run(sessions, choice.sources, {
      ...options,
      stateDirectory: stateOf(context, sessions.store.id),
      host: hostname(),
    }),
  );
  return finish(context, choice.sources, report, false);
}

async function preview(context: Context, choice: AdapterChoice, options: Options) {
  const { previewSync } = await import("@pond/sync");
  const { StoreNotFoundError } = await import("@pond/substrate");
  const look = (sessions: Parameters<typeof previewSync>[0]) =>
    previewSync(sessions, choice.sources, {
      ...options,
      stateDirectory: stateOf(context, sessions?.store.id ?? "none"),
      host: "",
    });
  try {
    const report = await withStore(context, "read", look);
    return await finish(context, choice.sources, report, true);
  } catch (error) {
    if (!(error instanceof StoreNotFoundError)) throw error;
    return await finish(context, choice.sources, await look(undefined), true);
  }
}

async function finish(
  context: Context,
  sources: readonly Source[],
  report: Parameters<typeof printSync>[1],
  isPreview: boolean,
): Promise<ExitCode> {
  const { hasFaults } = await import("@pond/sync");
  if (context.output.isJson) await printJson(context.output, report);
  else printSync(context, report, { isPreview, places: sources.map(({ path }) => path) });
  return hasFaults(report.adapters) ? exitCodes.doneWithFaults : exitCodes.done;
}

function stagesOf({ only, skip }: SyncFlags): Stage[] {
  if (only !== undefined && skip !== undefined) {
    throw new UsageError("--only and --skip together leave it open what to do: use one of them");
  }
  return stageNames.filter((stage) => (only === undefined || stage === only) && stage !== skip);
}

/** What this machine saw, for one store: another store has to be told everything. */
function stateOf({ settings }: Context, storeId: string): string {
  return `${settings.directories.state}/${storeId}`;
}
