import { Command } from "commander";
import type { Context } from "../context.ts";
import { exitCodeOf, printCopy, stoppedImportText } from "../copy-report.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { onInterrupt } from "../interrupt.ts";
import { printJson } from "../output/json.ts";
import { ProgressLine } from "../output/progress.ts";
import { isAbort, reportStopped } from "../report-error.ts";
import type { RunAction } from "../run.ts";
import { checkArchive, printArchive, storeArchive } from "../store-archive.ts";

type ImportFlags = { readonly dryRun?: boolean };

export function importCommand(run: RunAction): Command {
  return new Command("import")
    .description("store the sessions of a file that `pond export` wrote")
    .argument("<file.pond>", "the file to read")
    .option("--dry-run", "check the whole file, and store nothing")
    .action((file: string, flags: ImportFlags, command: Command) =>
      run(command, (context) => importFile(context, file, flags)),
    );
}

async function importFile(
  context: Context,
  file: string,
  { dryRun: isPreview = false }: ImportFlags,
): Promise<ExitCode> {
  await context.tuneMemory?.("batches");
  const { output } = context;
  const progress = new ProgressLine(output);
  const { signal, stop } = onInterrupt();
  try {
    if (isPreview) {
      const archive = await checkArchive(context, file, progress, signal);
      progress.clear();
      if (output.isJson) await printJson(output, archive);
      else printArchive(context, archive);
    } else {
      const copied = await storeArchive(context, file, progress, signal);
      progress.clear();
      if (output.isJson) await printJson(output, copied);
      else printCopy(context, copied);
      return exitCodeOf(copied);
    }
    return exitCodes.done;
  } catch (error) {
    if (!isAbort(error) || isPreview) throw error;
    progress.clear();
    return reportStopped(output, stoppedImportText);
  } finally {
    progress.clear();
    stop();
  }
}
