import { type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Adapter, Fidelity, RestoredFile, Resume } from "@pond/canonical/adapter";
import type { RestoreOptions, SessionStore } from "@pond/sessions";
import { Command } from "commander";
import { adapterFor } from "../adapter-for.ts";
import { type Context, withStore } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { droppedText } from "../dropped-text.ts";
import { UsageError } from "../errors.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { findExternalLog } from "../external-log.ts";
import { type InstallResult, installSession } from "../install-session.ts";
import { printJson } from "../output/json.ts";
import { formatCounted } from "../output/numbers.ts";
import { type SafeText, safe, safeLine, safeText } from "../output/safe-text.ts";
import { whileRestoring } from "../output/while-restoring.ts";
import { leftAsIsText, toHomePaths } from "../plan-install.ts";
import { realFolder } from "../real-folder.ts";
import { faultsIn, homeOf, installCrossClient, type RestoreReport } from "../restore-sessions.ts";
import { resumedSession } from "../resumed-session.ts";
import type { RunAction } from "../run.ts";
import { resolveSessionId } from "../session-id.ts";
import { shellLine } from "../shell-words.ts";
import { copiesOf, rememberCopies, writtenCopies } from "../written-copies.ts";

type ResumeFlags = {
  readonly to?: string;
  readonly force?: boolean;
  readonly run?: boolean;
};

/** What `pond resume --json` prints. */
type ResumeReport = {
  /** The session that the commands continue. */
  readonly session_id: string;
  /**
   * The session that was asked for. It differs if its client continues that one only within the
   * session above it.
   */
  readonly asked_id: string;
  readonly to: string;
  /** True if the session itself is, record for record, what its client wrote. */
  readonly native: boolean;
  /**
   * Absolute paths of the session's files in the client's home, and of what other clients wrote
   * below it in theirs.
   */
  readonly files: readonly string[];
  /** False if the files were there already and were left as they are. */
  readonly written: boolean;
  /** The files that belong to other sessions, were there already and stay. */
  readonly left_as_is: readonly string[];
  /** What its client did not get: sessions of other clients below it, and the one it continues. */
  readonly faults: RestoreReport["faults"];
  /** Why the client is known to refuse the commands, one sentence each. */
  readonly refused: readonly string[];
  /** True for a copy that was there already, stays, and may lack what came later. */
  readonly outdated: boolean;
  /** The fidelity of what was written; null if nothing was. */
  readonly fidelity: Fidelity | null;
  /** Where to run the commands; null if it does not matter. */
  readonly directory: string | null;
  readonly commands: Resume["commands"];
  /** The same commands for a POSIX shell, on one line. */
  readonly command: string;
};

export function resumeCommand(run: RunAction): Command {
  return new Command("resume")
    .description(
      "put a session into its client's home, or another client's, and show how to continue",
    )
    .argument("<session>", "its id, a unique beginning of it, or its number in the last search")
    .option("--to <client>", "continue in this client, not the one it came from")
    .option("--force", "replace the session's files if they exist already")
    .option("--run", "start the client at once")
    .action((session: string, flags: ResumeFlags, command: Command) =>
      run(command, (context) => resume(context, session, flags)),
    );
}

async function resume(context: Context, typed: string, flags: ResumeFlags): Promise<ExitCode> {
  const { output } = context;
  if (flags.run && output.isJson) {
    throw new UsageError("--run hands the terminal to the client: it does not go with --json");
  }
  const report = await withStore(context, "read", (sessions) =>
    install(context, sessions, typed, flags),
  );
  for (const { session_id, message } of report.faults) {
    output.warn(safe`${safeLine(session_id)}: ${safeLine(message)}`);
  }
  if (report.refused.length > 0) output.warn(refusedText(report));
  if (!flags.run && isFolderMissing(report)) output.warn(missingFolderText(report, context.home));
  if (output.isJson) await printJson(output, report);
  else print(context, report);
  return flags.run ? runAll(context, report) : exitCodes.done;
}

async function install(
  context: Context,
  sessions: SessionStore,
  typed: string,
  flags: ResumeFlags,
): Promise<ResumeReport> {
  const { settings, home, env, output } = context;
  const { meaningsOf } = await import("@pond/adapters");
  const { loadLineage, restore } = await import("@pond/sessions");
  const askedId = await resolveSessionId(settings, sessions, typed);
  const { root: asked } = await whileRestoring(output, () => loadLineage(sessions, askedId));
  const adapter = await adapterFor(asked.session.source_agent, flags.to);
  if (adapter.resume === undefined) throw noCommandError(adapter, askedId);
  const resumed = await resumedSession(sessions, asked, adapter);
  const { session } = resumed;
  const { id } = session;
  const isForOwn = flags.to === undefined;
  const ownFolder = homeOf(adapter, { home, env });
  const options: RestoreOptions = {
    meanings: meaningsOf(),
    projectFor: realFolder,
    isCutByClient: isForOwn,
    hasFile: (path) => existsSync(join(ownFolder, path)),
  };
  const all = await whileRestoring(output, () => restore(sessions, id, adapter.to, options));
  const there = toHomePaths(all, adapter, ownFolder);
  const logs = adapter.homes({ home, env });
  const external = await findExternalLog(there, id, adapter, ownFolder, logs);
  const { restored, folder } = external ?? { restored: there, folder: ownFolder };
  const { files, fidelity } = restored;
  const target = { adapter, folder, copies: await writtenCopies(settings) };
  const results: InstallResult[] = [];
  // What was asked for may be below the session that is resumed, and only that is replaced.
  for (const content of new Set([resumed, asked])) {
    const isForced = content === asked && (flags.force ?? false);
    const each = await whileRestoring(output, () =>
      installSession(restored, { ...target, content, isForced }),
    );
    if (each.isOutdated) output.warn(outdatedText(content.session.id, askedId));
    results.push(each);
  }
  const written = results.flatMap((each) => each.written);
  const leftAsIs = [...new Set(results.flatMap((each) => each.leftAsIs))].filter(
    (file) => !written.includes(file),
  );
  await rememberCopies(settings, copiesOf(written, folder));
  const crossClient =
    isForOwn && written.length > 0 ? await installCrossClient(context, sessions, id) : emptyReport;
  const crossClientLeft = crossClient.left_as_is.map(({ path }) => path);
  const pathOf = ({ path }: RestoredFile): string => join(folder, path);
  const main = files.find((file) => file.session === id);
  const isNative = main?.part.isNative ?? false;
  const project = isNative ? session.project : realFolder(session.project);
  const existing = new Set(results.flatMap((each) => [...each.existing]));
  const installed = { session: { ...session, project }, home: folder, files, existing };
  const { commands, directory, problems: refused = [] } = adapter.resume(installed);
  // A client that keeps sessions in a database may have the session without these.
  const own = files.filter(({ shared }) => !shared);
  return {
    session_id: id,
    asked_id: askedId,
    to: adapter.origin,
    native: isNative,
    files: [
      ...own.map(pathOf).filter(existsSync),
      ...crossClient.files.map(({ path }) => path),
      ...crossClientLeft,
    ],
    written: written.length > 0,
    left_as_is: [...leftAsIs.map(pathOf).filter(existsSync), ...crossClientLeft],
    faults: [...faultsIn(restored), ...crossClient.faults],
    refused,
    outdated: results.some(({ isOutdated }) => isOutdated),
    fidelity: written.length > 0 ? fidelity : null,
    directory: directory ?? null,
    commands,
    command: [...(directory === undefined ? [] : [["cd", directory]]), ...commands]
      .map(shellLine)
      .join(" && "),
  };
}

const emptyReport: RestoreReport = { files: [], left_as_is: [], left_out: [], faults: [] };

function outdatedText(id: string, askedId: string): SafeText {
  const what = safe`the copy that is there may lack what came later in the session`;
  return safe`${what}: ${forceHint(id, askedId)} replaces it, including what was added to it`;
}

/** How to replace a session: the one that was asked for is not always the one that is resumed. */
function forceHint(id: string, askedId: string): SafeText {
  return id === askedId ? safeText("--force") : safe`\`pond resume ${safeLine(id)} --force\``;
}

function noCommandError({ origin }: Adapter, id: string): UsageError {
  return new UsageError(
    `${origin} is a library without a command of its own: \`pond restore ${id} --to ${origin} --out DIR\` writes the file that a program opens`,
    { client: origin },
  );
}

function print({ output, home }: Context, report: ResumeReport): void {
  const { style } = output;
  if (!output.isQuiet) {
    if (report.asked_id !== report.session_id) output.note(resumedAncestorText(report));
    const { files, left_as_is: left } = report;
    const first = files.find((file) => !left.includes(file)) ?? files[0];
    // A database is not a file of the session.
    const where = safeLine(first === undefined ? report.to : shortenHome(first, home));
    const others = files.length - left.length - 1;
    const more =
      others > 0 ? safe` and ${formatCounted(others, "more file", "more files")}` : safeText("");
    const replaces = forceHint(report.session_id, report.asked_id);
    output.note(
      report.written
        ? safe`Restored for ${safeText(report.to)}: ${where}${more}`
        : safe`Already there, and left as it is: ${where} (${replaces} replaces it)`,
    );
    if (left.length > 0) output.note(leftAsIsText(left.length));
    const dropped = droppedText(report.fidelity === null ? [] : [report.fidelity]);
    if (dropped !== undefined) output.note(style.faint(dropped));
  }
  output.line(safeText(report.command));
}

function resumedAncestorText({ to, asked_id, session_id }: ResumeReport): SafeText {
  return safe`${safeText(to)} continues ${safeLine(asked_id)} only in the session above it: ${safeLine(session_id)}`;
}

function refusedText({ to, refused: [first = "", ...others] }: ResumeReport): SafeText {
  const count = formatCounted(others.length, "more", "more");
  const more = others.length > 0 ? safe`, and ${count}` : safeText("");
  return safe`${safeText(to)} refuses part of this session: ${safeLine(first)}${more}; continue it in another client with --to`;
}

/** True if the session's folder does not exist on this machine, or no longer exists. */
function isFolderMissing({ directory }: ResumeReport): boolean {
  return directory !== null && !existsSync(directory);
}

function missingFolderText({ directory }: ResumeReport, home: string): SafeText {
  const folder = safeLine(shortenHome(directory ?? "", home));
  return safe`the session's folder ${folder} is not on this machine: create it first`;
}

/** Runs the commands in order, with the terminal for their own use. Never through a shell. */
async function runAll({ output, env, home }: Context, report: ResumeReport): Promise<ExitCode> {
  const { commands, directory } = report;
  // The system would say that the program is missing.
  if (isFolderMissing(report)) {
    output.error(missingFolderText(report, home));
    return exitCodes.failed;
  }
  for (const [program = "", ...words] of commands) {
    const where = { cwd: directory ?? undefined, env };
    const code = await runProgram(program, words, where).catch((error: unknown) => {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      output.error(
        safe`${safeLine(program)} is not on the PATH: install it, or run the command above where it is`,
      );
      return 127;
    });
    if (code !== 0) return exitCodes.failed;
  }
  return exitCodes.done;
}

/** Runs a program to its end, at the terminal of this one. Who asks this one to end means that one. */
async function runProgram(
  program: string,
  words: readonly string[],
  { cwd, env }: Pick<SpawnOptions, "cwd" | "env">,
): Promise<number | null> {
  const child = spawn(program, words, { cwd, env, stdio: "inherit" });
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  // The terminal gives Ctrl-C to both, and a client may take it for something else than an end.
  const stay = (): void => undefined;
  process.on("SIGTERM", passOn).on("SIGHUP", passOn).on("SIGINT", stay);
  try {
    return await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
  } finally {
    process.off("SIGTERM", passOn).off("SIGHUP", passOn).off("SIGINT", stay);
  }
}
