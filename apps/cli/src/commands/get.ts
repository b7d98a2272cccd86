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
    .argument("<session>", "its id, or as much of the beginning as tells it apart")
    .addOption(
      new Option("--mode <mode>", "how much of it").choices(modes).default("conversational"),
    )
    .option("--message <id>", "one message with all its parts")
    .option("--context <n>", "how many messages around it (default: 2)", parseDepth)
    .option("--after <id>", "go on behind this message")
    .action((session: string, flags: GetFlags, command: Command) =>
      run(command, (context) => get(context, session, flags)),
    );
}

async function get(context: Context, typed: string, flags: GetFlags) {
  if (flags.message === undefined && flags.context !== undefined) {
    throw new UsageError("--context goes with --message");
  }
  if (flags.message !== undefined && flags.after !== undefined) {
    throw new UsageError("--after pages through a session; it does not go with --message");
  }
  await withStore(context, "read", async (sessions) => {
    const id = await resolveSessionId(sessions, typed);
    if (flags.message === undefined) await showSession(context, sessions, id, flags);
    else await showMessage(context, sessions, id, flags.message, flags.context);
  });
  return exitCodes.done;
}

async function showMessage(
  context: Context,
  sessions: SessionStore,
  id: string,
  typed: string,
  depth: number | undefined,
): Promise<void> {
  const { output } = context;
  const { getMessage } = await import("@pond/sessions");
  const around = depth === undefined ? {} : { context: depth };
  const messageId = await resolveMessageId(sessions, id, typed);
  const view = await getMessage(sessions, id, messageId, around);
  if (output.isJson) {
    await printJson(output, view);
    return;
  }
  const { printMessage, printSessionHeader } = await import("../session-text.ts");
  printSessionHeader(context, view.session);
  for (const message of view.before) printMessage(output, message);
  printMessage(output, view.target, { isTarget: true });
  for (const message of view.after) printMessage(output, message);
  if (view.target_parts_remaining > 0) {
    const count = formatCounted(view.target_parts_remaining, "part");
    output.note(say`${count} more: --mode verbatim without --message has them all.`);
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
