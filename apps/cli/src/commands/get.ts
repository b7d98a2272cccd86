import type { ResponseMode } from "@pond/sessions";
import { Command, Option } from "commander";
import { parseDepth } from "../arguments.ts";
import { type Context, withStore } from "../context.ts";
import { UsageError } from "../errors.ts";
import { exitCodes } from "../exit.ts";
import { printJson } from "../output/json.ts";
import { formatCounted } from "../output/numbers.ts";
import { say, shown, shownLine } from "../output/shown.ts";
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
    const { getMessage, getSession } = await import("@pond/sessions");
    const { printMessage, printSessionHeader } = await import("../session-text.ts");
    const { output } = context;
    const id = await resolveSessionId(sessions, typed);
    if (flags.message !== undefined) {
      const around = flags.context === undefined ? {} : { context: flags.context };
      const view = await getMessage(
        sessions,
        id,
        await resolveMessageId(sessions, id, flags.message),
        around,
      );
      if (output.isJson) return await printJson(output, view);
      printSessionHeader(context, view.session);
      for (const message of view.before) printMessage(output, message);
      printMessage(output, view.target, { isTarget: true });
      for (const message of view.after) printMessage(output, message);
      if (view.target_parts_remaining > 0) {
        const count = formatCounted(view.target_parts_remaining, "part");
        output.note(say`${count} more: --json --mode verbatim has them all.`);
      }
      return;
    }
    const { mode } = flags;
    if (output.isJson) {
      return await printJson(
        output,
        await getSession(sessions, id, { mode, afterId: flags.after }),
      );
    }
    // A person reads on; only programs want pages.
    let afterId = flags.after;
    for (let isFirst = true; ; isFirst = false) {
      const page = await getSession(sessions, id, { mode, afterId, limitBytes: bytesPerTextPage });
      if (isFirst) printSessionHeader(context, page.session);
      for (const message of page.messages) printMessage(output, message);
      afterId = page.messages.at(-1)?.id;
      if (page.messages_remaining > 0 && afterId !== undefined) continue;
      if (isFirst && page.messages.length === 0) {
        output.note(
          mode === "complete"
            ? shownLine("It holds no message.")
            : shown("No conversation in it. `--mode complete` shows every record."),
        );
      }
      return;
    }
  });
  return exitCodes.done;
}
