import type { ResponseMode, SessionStore } from "@pond/sessions";
import { Command, Option } from "commander";
import { parseDepth } from "../arguments.ts";
import { type Context, withStore } from "../context.ts";
import { UsageError } from "../errors.ts";
import { exitCodes } from "../exit.ts";
import { printJson } from "../output/json.ts";
import { formatCounted } from "../output/numbers.ts";
import { type Shown, say, shown } from "../output/shown.ts";
import type { RunAction } from "../run.ts";
import { resolveMessageId, resolveSessionId } from "../session-id.ts";
import { shellLine } from "../shell-words.ts";

type GetFlags = {
  readonly mode: ResponseMode;
  readonly message?: string;
  readonly context?: number;
  readonly after?: string;
};

const modes: readonly ResponseMode[] = ["conversational", "complete", "verbatim"];
const bytesPerTextPage = 1024 * 1024;

export function getCommand(run: RunAction): Command {
  return new Command("get")
    .description("show a session, or one message of it")
    .argument("<session>", "its id, enough of its beginning, or its number in the last search")
    .addOption(
      new Option("--mode <mode>", "how much of it").choices(modes).default("conversational"),
    )
    .option("--message <id>", "one message with all its parts")
    .option("--context <n>", "how many messages around it (default: 2)", parseDepth)
    .option("--after <id>", "go on behind this message, with --message behind this part of it")
    .action((session: string, flags: GetFlags, command: Command) =>
      run(command, (context) => get(context, session, flags)),
    );
}

async function get(context: Context, typed: string, flags: GetFlags) {
  if (flags.message === undefined && flags.context !== undefined) {
    throw new UsageError("--context goes with --message");
  }
  await withStore(context, "read", async (sessions) => {
    const id = await resolveSessionId(context.settings, sessions, typed);
    const { message, ...others } = flags;
    if (message === undefined) await showSession(context, sessions, id, flags);
    else await showMessage(context, sessions, id, message, others);
  });
  return exitCodes.done;
}

async function showMessage(
  context: Context,
  sessions: SessionStore,
  id: string,
  typed: string,
  { context: depth, after: afterPart }: Pick<GetFlags, "context" | "after">,
): Promise<void> {
  const { output } = context;
  const { getMessage } = await import("@pond/sessions");
  const messageId = await resolveMessageId(sessions, id, typed);
  const around = depth === undefined ? {} : { context: depth };
  const view = await getMessage(sessions, id, messageId, { ...around, afterPart });
  if (output.isJson) {
    await printJson(output, view);
    return;
  }
  const { printMessage, printSessionHeader } = await import("../session-text.ts");
  printSessionHeader(context, view.session);
  // Whoever pages through a message has seen its neighbours, and may ask for them again.
  const isFirst = afterPart === undefined || depth !== undefined;
  if (isFirst) for (const message of view.before) printMessage(output, message);
  printMessage(output, view.target, { isTarget: true });
  if (isFirst) for (const message of view.after) printMessage(output, message);
  const { content } = view.target;
  const last = typeof content === "string" ? undefined : content?.at(-1)?.id;
  if (view.target_parts_remaining > 0 && last !== undefined) {
    const count = formatCounted(view.target_parts_remaining, "more part");
    output.note(say`${count} of it: ${shown(shellLine(["--after", last]))}`);
  }
}

async function showSession(
  context: Context,
  sessions: SessionStore,
  id: string,
  { mode, after }: GetFlags,
): Promise<void> {
  const { output } = context;
  const { getSession } = await import("@pond/sessions");
  if (output.isJson) {
    await printJson(output, await getSession(sessions, id, { mode, afterId: after }));
    return;
  }
  const { printMessage, printSessionHeader } = await import("../session-text.ts");
  // A person reads on; only programs want pages.
  const limitBytes = bytesPerTextPage;
  let page = await getSession(sessions, id, { mode, afterId: after, limitBytes });
  printSessionHeader(context, page.session);
  if (page.messages.length === 0) output.note(nothingThere[mode]);
  for (;;) {
    for (const message of page.messages) printMessage(output, message);
    const afterId = page.messages.at(-1)?.id;
    if (page.messages_remaining === 0 || afterId === undefined) return;
    page = await getSession(sessions, id, { mode, afterId, limitBytes });
  }
}

const nothingThere: Readonly<Record<ResponseMode, Shown>> = {
  conversational: shown("No conversation in it. `--mode complete` shows every record."),
  complete: shown("It holds no message."),
  verbatim: shown("It holds no message."),
};
