import type { Progress } from "@pond/archive";
import { Command } from "commander";
import { showArchive } from "../archive-progress.ts";
import { createBatchCaches } from "../batch-caches.ts";
import { type Context, warnOfHeal } from "../context.ts";
import { exitCodeOf, printCopy, stoppedImportText, toCopyJson } from "../copy-report.ts";
import { makeDataFolder } from "../directories.ts";
import { NoStoreError, UsageError } from "../errors.ts";
import type { ExitCode } from "../exit-codes.ts";
import { onInterrupt } from "../interrupt.ts";
import { printJson } from "../output/json.ts";
import { ProgressLine } from "../output/progress.ts";
import { factsOf, isAbort, reportStopped } from "../report-error.ts";
import type { RunAction } from "../run.ts";
import { resolveSettings } from "../settings.ts";

/** Stands for the storage that --storage, POND_STORAGE or the configuration names. */
const configuredStorage = "@";

export function copyCommand(run: RunAction): Command {
  return new Command("copy")
    .description("copy every session of one storage to another: a folder, s3://, az://, gs://")
    .argument("<from>", `folder or address to read; ${configuredStorage} is the configured storage`)
    .argument("<to>", `folder or address to add to; ${configuredStorage} is the configured storage`)
    .action((from: string, to: string, _flags: unknown, command: Command) =>
      run(command, (context) => copyAll(context, from, to)),
    );
}

async function copyAll(context: Context, from: string, to: string): Promise<ExitCode> {
  const { output, settings } = context;
  const [source, target] = [await locationOf(context, from), await locationOf(context, to)];
  if (source === target) {
    throw new UsageError(`FROM and TO are the same store, ${source}`, { location: source });
  }
  await context.tuneMemory?.("batches");
  const progress = new ProgressLine(output);
  const { signal, stop } = onInterrupt();
  try {
    const { copySessions, updateIndexes } = await import("@pond/archive");
    const { openSessions } = await import("@pond/sessions");
    const { storageOptions } = settings;
    const caches = await createBatchCaches();
    const options = { storageOptions, onHeal: warnOfHeal(context), caches };
    const watch = {
      signal,
      onProgress: (each: Progress) => showArchive(progress, each),
    };
    // The one that may be missing is opened first, so that the other is not made for nothing.
    const stored = await openSessions(source, options).catch((error: unknown) => {
      throw from === configuredStorage ? error : toErrorNamingFrom(error);
    });
    try {
      makeDataFolder(target, settings.directories);
      const copied = await openSessions(target, { ...options, mode: "write" });
      try {
        const report = await copySessions(stored, copied, { ...watch, now: context.now });
        await updateIndexes(copied, watch);
        progress.clear();
        const json = toCopyJson(report);
        if (output.isJson) await printJson(output, json);
        else printCopy(context, json);
        return exitCodeOf(json);
      } finally {
        copied.close();
      }
    } finally {
      stored.close();
    }
  } catch (error) {
    if (!isAbort(error)) throw error;
    progress.clear();
    return reportStopped(output, stoppedImportText);
  } finally {
    progress.clear();
    stop();
  }
}

/** Says about a missing store that FROM named it rather than a setting. */
function toErrorNamingFrom(error: unknown): unknown {
  const { code, message, details } = factsOf(error);
  if (code !== "store_not_found") return error;
  return new NoStoreError(message, { ...details, argument: "FROM" }, { cause: error });
}

/** The store of the namespace in a storage, as `--storage` would find it. */
async function locationOf({ settings, env, home }: Context, storage: string): Promise<string> {
  if (storage === configuredStorage) return settings.location;
  const { namespace } = settings;
  return (await resolveSettings({ storage, namespace }, env, home)).location;
}
