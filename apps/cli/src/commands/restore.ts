import type { StoredState } from "@pond/sessions";
import { Command, Option } from "commander";
import { parsePath } from "../arguments.ts";
import { type Context, withStore, withWholeStore } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { droppedText } from "../dropped-text.ts";
import { UsageError } from "../errors.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { printJson } from "../output/json.ts";
import { formatCount, formatCounted } from "../output/numbers.ts";
import { type SafeText, safe, safeLine, safeText } from "../output/safe-text.ts";
import { wrapText } from "../output/wrap.ts";
import { leftAsIsText } from "../plan-install.ts";
import { type RestoreReport, restoreAll, restoreEach } from "../restore-sessions.ts";
import type { RunAction } from "../run.ts";

type RestoreFlags = {
  readonly all?: boolean;
  readonly to?: string;
  readonly out?: string;
  readonly install?: boolean;
  readonly force?: boolean;
  readonly at: StoredState;
};

const states: readonly StoredState[] = ["first", "last"];
const maxFilesShown = 20;
const maxFaultsShown = 10;

export function restoreCommand(run: RunAction): Command {
  return new Command("restore")
    .description("write sessions back as their client's files, or as another client's")
    .argument("[session...]", "ids, unique beginnings of them, or numbers of the last search")
    .option("--all", "restore every session, into one folder for each client")
    .option("--to <client>", "write it for this client, not the one it came from")
    .option("--out <dir>", "folder to write to (default: ./pond-restore)", parsePath)
    .option("--install", "write into the client's own home, where it finds the session")
    .option("--force", "replace existing files")
    .addOption(
      new Option("--at <state>", "as first stored, or as last seen in the source")
        .choices(states)
        .default("last"),
    )
    .action((sessions: string[], flags: RestoreFlags, command: Command) =>
      run(command, (context) => restore(context, sessions, flags)),
    );
}

async function restore(context: Context, typed: readonly string[], flags: RestoreFlags) {
  if (flags.all && typed.length > 0) {
    throw new UsageError("--all restores every session: name sessions or pass --all, not both");
  }
  if (!flags.all && typed.length === 0) {
    throw new UsageError(
      "name a session: pond restore SESSION, or pass --all; `pond list` shows ids",
    );
  }
  if (flags.out !== undefined && flags.install) {
    throw new UsageError("--out and --install name two places: use one of them");
  }
  const { adapterNamed } = await import("@pond/adapters");
  // Before all the work, which would fail for each session.
  if (flags.to !== undefined) adapterNamed(flags.to);
  const report = flags.all
    ? await withWholeStore(context, "read", (sessions) => restoreAll(context, sessions, flags))
    : await withStore(context, "read", (sessions) => restoreEach(context, sessions, typed, flags));
  if (context.output.isJson) await printJson(context.output, report);
  else print(context, report);
  return exitCodeOf(report);
}

function exitCodeOf({ files, faults }: RestoreReport): ExitCode {
  if (faults.length === 0) return exitCodes.done;
  return files.length === 0 ? exitCodes.failed : exitCodes.doneWithFaults;
}

function print({ output, home }: Context, report: RestoreReport): void {
  const { files, left_as_is, left_out, faults } = report;
  // Sessions may share a file.
  const paths = [...new Set(files.map(({ path }) => path))];
  const listed = output.isVerbose ? paths : paths.slice(0, maxFilesShown);
  if (!output.isQuiet) {
    for (const path of listed) output.line(safeLine(shortenHome(path, home)));
    const rest = paths.length - listed.length;
    if (rest > 0) output.line(safe`and ${formatCounted(rest, "more file", "more files")}`);
    const sessions = new Set(files.map(({ session_id }) => session_id)).size;
    const foreign = files.filter(({ native }) => !native);
    const kind = foreign.length > 0 ? safeText(", translated for another client") : safeText("");
    const total = formatCounted(sessions, "session");
    const summary = safe`Restored ${total} in ${formatCounted(paths.length, "file")}${kind}.`;
    const left = left_as_is.length > 0 ? [leftAsIsText(left_as_is.length)] : [];
    const out = left_out.length > 0 ? [leftOutText(left_out.length)] : [];
    const dropped = droppedText(foreign.map(({ fidelity }) => fidelity)) ?? [];
    for (const sentence of [summary, ...left, ...out].concat(dropped)) {
      for (const line of wrapText(sentence, output.width)) output.line(output.style.faint(line));
    }
    if (files.length === 0 && faults.length === 0) {
      output.line(safeText("Nothing is stored yet: `pond sync` fetches sessions."));
    }
  }
  const named = output.isVerbose ? faults : faults.slice(0, maxFaultsShown);
  for (const { session_id, message } of named) {
    output.warn(safe`${safeLine(session_id)}: ${safeLine(message)}`);
  }
  const unnamed = faults.length - named.length;
  if (unnamed > 0) output.warn(safe`and ${formatCount(unnamed)} more: -v lists them, --json too`);
}

function leftOutText(count: number): SafeText {
  return safe`Left out, because somebody continued a copy, which may lack what came later: ${formatCounted(count, "session")}.`;
}
