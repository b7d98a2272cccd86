import { resolve } from "node:path";
import type { Progress } from "@pond/archive";
import { Command } from "commander";
import { showArchive } from "../archive-progress.ts";
import { type Context, withWholeStore } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { NothingStoredError, UsageError } from "../errors.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { onInterrupt } from "../interrupt.ts";
import { refuseUnwritablePath } from "../out-file.ts";
import { printJson } from "../output/json.ts";
import { formatBytes, formatCounted } from "../output/numbers.ts";
import { ProgressLine } from "../output/progress.ts";
import { safe, safeLine } from "../output/safe-text.ts";
import {
  createRedactorFor,
  noteRedacted,
  type RedactionFlags,
  userNamesWithoutRedact,
} from "../redaction.ts";
import type { RunAction } from "../run.ts";

type ExportFlags = RedactionFlags & { readonly output?: string; readonly force?: boolean };

export function exportCommand(run: RunAction): Command {
  return new Command("export")
    .description("write every session into one file, which `pond import` reads")
    .option("-o, --output <file.pond>", "the file to write")
    .option("--force", "replace an existing file")
    .option(
      "--redact",
      "replace secrets of known forms in the file, not in the store, and say how many",
    )
    .option("--user-names", "with --redact: also user names in paths of home folders")
    .action((flags: ExportFlags, command: Command) =>
      run(command, (context) => exportAll(context, flags)),
    );
}

async function exportAll(context: Context, flags: ExportFlags): Promise<ExitCode> {
  const { output, home } = context;
  const { output: target, force: isForced = false } = flags;
  if (target === undefined || target === "") {
    throw new UsageError("name the file to write: pond export -o FILE.pond");
  }
  if (flags.userNames && !flags.redact) throw new UsageError(userNamesWithoutRedact);
  refuseUnwritablePath(target, "FILE.pond");
  refuseControls(resolve(target));
  await context.tuneMemory?.("batches");
  const progress = new ProgressLine(output);
  const { signal, stop } = onInterrupt();
  try {
    const report = await withWholeStore(context, "read", async (sessions) => {
      if ((await sessions.store.table("sessions").count()) === 0) {
        throw new NothingStoredError("no session is stored, so there is nothing to export");
      }
      const { exportArchive } = await import("@pond/archive");
      const onProgress = (each: Progress) => showArchive(progress, each);
      const redactor = await createRedactorFor(flags);
      return exportArchive(sessions, target, { isForced, redactor, onProgress, signal });
    });
    progress.clear();
    if (output.isJson) await printJson(output, report);
    else if (!output.isQuiet) {
      const { rows, bytes, file, redacted } = report;
      const sessions = formatCounted(rows["sessions"] ?? 0, "session");
      const messages = formatCounted(rows["messages"] ?? 0, "message");
      const where = safeLine(shortenHome(file, home));
      output.line(safe`${sessions}, ${messages} in ${where} (${formatBytes(bytes)}).`);
      if (redacted) noteRedacted(output, redacted);
    }
    const { damaged } = report;
    if (damaged.length === 0) return exitCodes.done;
    if (!output.isJson) {
      const sessions = formatCounted(damaged.length, "session");
      output.warn(
        safe`${sessions} with damaged or lost rows, which were left out or exported as they are stored: ${safeLine(damaged.join(" "))}. \`pond sync --verify\` mends what its sources still hold.`,
      );
    }
    return exitCodes.doneWithFaults;
  } finally {
    progress.clear();
    stop();
  }
}

/** An archive is put together in a folder beside it, and stores accept no such path. */
function refuseControls(file: string): void {
  if (!/\p{Cc}/u.test(file)) return;
  throw new UsageError(
    `${file}: the path holds a control character, such as a line break, and no archive can be made there: name another`,
    { path: file },
  );
}
