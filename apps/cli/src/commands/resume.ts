import { spawn } from "node:child_process";
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
import { type ExitCode, exitCodes } from "../exit.ts";
import { keptElsewhere } from "../kept-elsewhere.ts";
import { printJson } from "../output/json.ts";
import { formatCounted } from "../output/numbers.ts";
import { type Shown, say, shown, shownLine } from "../output/shown.ts";
import { whileRestoring } from "../output/while-restoring.ts";
import { type Placed, placeSession } from "../place-session.ts";
import { inHome, leftAsIsText } from "../plan-install.ts";
import { realFolder } from "../real-folder.ts";
import { faultsIn, homeOf, installElsewhere, type RestoreReport } from "../restore-sessions.ts";
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
    output.warn(say`${shownLine(session_id)}: ${shownLine(message)}`);
  }
  if (report.refused.length > 0) output.warn(refusedText(report));
  if (!flags.run && isFolderGone(report)) output.warn(folderGone(report, context.home));
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
  if (adapter.resume === undefined) throw noCommand(adapter, askedId);
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
  const there = inHome(all, adapter, ownFolder);
  const logs = adapter.homes({ home, env });
  const kept = await keptElsewhere(there, id, adapter, ownFolder, logs);
  const { restored, folder } = kept ?? { restored: there, folder: ownFolder };
  const { files, fidelity } = restored;
  const target = { adapter, folder, copies: await writtenCopies(settings) };
  const placed: Placed[] = [];
  // What was asked for may be below the session that is resumed, and only that is replaced.
  for (const content of new Set([resumed, asked])) {
    const isForced = content === asked && (flags.force ?? false);
    const each = await whileRestoring(output, () =>
      placeSession(restored, { ...target, content, isForced }),
    );
    if (each.isOutdated) output.warn(outdatedText(content.session.id, askedId));
    placed.push(each);
  }
  const written = placed.flatMap((each) => each.written);
  const leftAsIs = [...new Set(placed.flatMap((each) => each.leftAsIs))].filter(
    (file) => !written.includes(file),
  );
  await rememberCopies(settings, copiesOf(written, folder));
  const elsewhere =
    isForOwn && written.length > 0
      ? await installElsewhere(context, sessions, id)
      : nothingElsewhere;
  const elsewhereLeft = elsewhere.left_as_is.map(({ path }) => path);
  const pathOf = ({ path }: RestoredFile): string => join(folder, path);
  const main = files.find((file) => file.session === id);
  const isNative = main?.part.isNative ?? false;
  const project = isNative ? session.project : realFolder(session.project);
  const held = new Set(placed.flatMap((each) => [...each.held]));
  const installed = { session: { ...session, project }, home: folder, files, held };
  const { commands, directory, refused = [] } = adapter.resume(installed);
  // A client that keeps sessions in a database may have the session without these.
  const own = files.filter(({ shared }) => !shared);
  return {
    session_id: id,
    asked_id: askedId,
    to: adapter.origin,
    native: isNative,
    files: [
      ...own.map(pathOf).filter(existsSync),
      ...elsewhere.files.map(({ path }) => path),
      ...elsewhereLeft,
    ],
    written: written.length > 0,
    left_as_is: [...leftAsIs.map(pathOf).filter(existsSync), ...elsewhereLeft],
    faults: [...faultsIn(restored), ...elsewhere.faults],
    refused,
    outdated: placed.some(({ isOutdated }) => isOutdated),
    fidelity: written.length > 0 ? fidelity : null,
    directory: directory ?? null,
    commands,
    command: [...(directory === undefined ? [] : [["cd", directory]]), ...commands]
      .map(shellLine)
      .join(" && "),
  };
}

const nothingElsewhere: RestoreReport = { files: [], left_as_is: [], left_out: [], faults: [] };

function outdatedText(id: string, askedId: string): Shown {
  const what = say`the copy that is there may lack what came later in the session`;
  return say`${what}: ${forced(id, askedId)} replaces it, including what was added to it`;
}

/** How to replace a session: the one that was asked for is not always the one that is resumed. */
function forced(id: string, askedId: string): Shown {
  return id === askedId ? shown("--force") : say`\`pond resume ${shownLine(id)} --force\``;
}

function noCommand({ origin }: Adapter, id: string): UsageError {
  return new UsageError(
    `${origin} is a library without a command of its own: \`pond restore ${id} --to ${origin} --out DIR\` writes the file that a program opens`,
    { client: origin },
  );
}

function print({ output, home }: Context, report: ResumeReport): void {
  const { style } = output;
  if (!output.isQuiet) {
    if (report.asked_id !== report.session_id) output.note(resumedAbove(report));
    const { files, left_as_is: left } = report;
    const first = files.find((file) => !left.includes(file)) ?? files[0];
    // A database is not a file of the session.
    const where = shownLine(first === undefined ? report.to : shortenHome(first, home));
    const others = files.length - left.length - 1;
    const more =
      others > 0 ? say` and ${formatCounted(others, "more file", "more files")}` : shown("");
    const replaces = forced(report.session_id, report.asked_id);
    output.note(
      report.written
        ? say`Restored for ${shown(report.to)}: ${where}${more}`
        : say`Already there, and left as it is: ${where} (${replaces} replaces it)`,
    );
    if (left.length > 0) output.note(leftAsIsText(left.length));
    const dropped = droppedText(report.fidelity === null ? [] : [report.fidelity]);
    if (dropped !== undefined) output.note(style.faint(dropped));
  }
  output.line(shown(report.command));
}

function resumedAbove({ to, asked_id, session_id }: ResumeReport): Shown {
  return say`${shown(to)} continues ${shownLine(asked_id)} only in the session above it: ${shownLine(session_id)}`;
}

function refusedText({ to, refused: [first = "", ...others] }: ResumeReport): Shown {
  const count = formatCounted(others.length, "more", "more");
  const more = others.length > 0 ? say`, and ${count}` : shown("");
  return say`${shown(to)} refuses part of this session: ${shownLine(first)}${more}; continue it in another client with --to`;
}

/** True if the session's folder does not exist on this machine, or no longer exists. */
function isFolderGone({ directory }: ResumeReport): boolean {
  return directory !== null && !existsSync(directory);
}

function folderGone({ directory }: ResumeReport, home: string): Shown {
  const folder = shownLine(shortenHome(directory ?? "", home));
  return say`the session's folder ${folder} is not on this machine: create it first`;
}

/** Runs the commands in order, with the terminal for their own use. Never through a shell. */
async function runAll({ output, env, home }: Context, report: ResumeReport): Promise<ExitCode> {
  const { commands, directory } = report;
  // The system would say that the program is missing.
  if (isFolderGone(report)) {
    output.error(folderGone(report, home));
    return exitCodes.failed;
  }
  for (const [program = "", ...words] of commands) {
    const code = await new Promise<number | null>((resolve, reject) => {
      const child = spawn(program, words, { cwd: directory ?? undefined, env, stdio: "inherit" });
      child.on("error", reject);
      child.on("close", resolve);
    }).catch((error: unknown) => {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      output.error(
        say`${shownLine(program)} is not on the PATH: install it, or run the command above where it is`,
      );
      return 127;
    });
    if (code !== 0) return exitCodes.failed;
  }
  return exitCodes.done;
}
