import type { ResponseMode, SessionStore } from "@pond/sessions";
import { Command, Option } from "commander";
import { parseDepth, parsePath } from "../arguments.ts";
import { type Context, withStore } from "../context.ts";
import { UsageError } from "../errors.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { type RedactionFlags, userNamesWithoutRedact } from "../redaction.ts";
import type { RunAction } from "../run.ts";
import { resolveSessionId } from "../session-id.ts";
import type { PageFormat } from "./get-page.ts";

type GetFlags = RedactionFlags & {
  readonly mode?: ResponseMode;
  readonly message?: string;
  readonly context?: number;
  readonly after?: string;
  readonly end?: boolean;
  readonly before?: string;
  readonly format?: PageFormat;
  readonly out?: string;
  readonly force?: boolean;
  readonly pager: boolean;
};

const modes: readonly ResponseMode[] = ["conversational", "complete", "verbatim"];
const formats: readonly PageFormat[] = ["markdown", "html"];

export function getCommand(run: RunAction): Command {
  return new Command("get")
    .description("show a session, or one message of it")
    .argument("<session>", "its id, a unique beginning of it, or its number in the last search")
    .addOption(
      new Option(
        "--mode <mode>",
        "only what was said; also names and sizes of the rest; or everything whole (default: conversational, with --format verbatim)",
      ).choices(modes),
    )
    .option("--message <id>", "show one message with all its parts")
    .option("--context <n>", "with --message: messages on each side (default: 2)", parseDepth)
    .option("--after <id>", "continue after this message; with --message, after this part of it")
    .option("--end", "show only how it ended: its last page")
    .option("--before <id>", "show only the page before this message")
    .addOption(
      new Option("--format <format>", "make one page of the session, to share").choices(formats),
    )
    .option("--out <file>", "write the page to this file", parsePath)
    .option("--force", "replace an existing file")
    .option("--redact", "replace secrets of known forms, and say how many")
    .option("--user-names", "with --redact: also user names in paths of home folders")
    .option("--no-pager", "open no pager for output longer than the screen")
    .action((session: string, flags: GetFlags, command: Command) =>
      run(command, (context) => get(context, session, flags)),
    );
}

async function get(context: Context, typed: string, flags: GetFlags): Promise<ExitCode> {
  refuseConflictingFlags(flags, context.output.isJson);
  await withStore(context, "read", async (sessions) => {
    const id = await resolveSessionId(context.settings, sessions, typed);
    await (flags.format === undefined
      ? showText(context, sessions, id, flags)
      : showOrWritePage(context, sessions, id, { ...flags, format: flags.format }));
  });
  return exitCodes.done;
}

async function showText(
  context: Context,
  sessions: SessionStore,
  id: string,
  { message, mode = "conversational", ...flags }: GetFlags,
): Promise<void> {
  const { showMessage, showSession } = await import("./get-text.ts");
  if (message === undefined) await showSession(context, sessions, id, { ...flags, mode });
  else await showMessage(context, sessions, id, message, flags);
}

async function showOrWritePage(
  context: Context,
  sessions: SessionStore,
  id: string,
  { out, force: isForced = false, mode = "verbatim", ...flags }: GetFlags & { format: PageFormat },
): Promise<void> {
  const { showPage, writePage } = await import("./get-page.ts");
  if (out === undefined) await showPage(context, sessions, id, { ...flags, mode });
  else await writePage(context, sessions, id, { ...flags, mode, out, isForced });
}

/** @throws {UsageError} for flags that do not apply to what is asked for. */
function refuseConflictingFlags(flags: GetFlags, isJson: boolean): void {
  const { message, context, after, end, before, format, out, force, redact, userNames } = flags;
  const isFromEnd = end === true || before !== undefined;
  const refusals: readonly (readonly [boolean, string])[] = [
    [message === undefined && context !== undefined, "--context needs --message"],
    [
      message !== undefined && format !== undefined,
      "--format is for a whole session: leave --message out",
    ],
    [
      isFromEnd && [message, after, format].some((flag) => flag !== undefined),
      "--end and --before go without --message, --after and --format",
    ],
    [format === undefined && out !== undefined, "--out needs --format"],
    [out === undefined && force === true, "--force needs --out"],
    [isJson && format !== undefined && out === undefined, "with --json, --format needs --out FILE"],
    [userNames === true && redact !== true, userNamesWithoutRedact],
  ];
  const refused = refusals.find(([applies]) => applies);
  if (refused) throw new UsageError(refused[1]);
}
