import {
  cutContext,
  getMessage,
  getSession,
  type ResponseMode,
  readPages,
  type SessionStore,
} from "@pond/sessions";
import type { Redactor } from "@pond/share";
import type { Context } from "../context.ts";
import { printJson } from "../output/json.ts";
import { formatCounted } from "../output/numbers.ts";
import { type SafeText, safe, safeText } from "../output/safe-text.ts";
import { withPager } from "../pager.ts";
import { createRedactorFor, noteRedacted, type RedactionFlags } from "../redaction.ts";
import { resolveMessageId } from "../session-id.ts";
import { printMessage, printSessionHeader } from "../session-text.ts";
import { shellLine } from "../shell-words.ts";
import { redactPage, redactView } from "./get-redaction.ts";

type TextFlags = RedactionFlags & {
  readonly after?: string | undefined;
  readonly pager: boolean;
};

const bytesPerTextPage = 1024 * 1024;

/** Shows one message and its neighbours, as text or as JSON. */
export async function showMessage(
  context: Context,
  sessions: SessionStore,
  id: string,
  typed: string,
  flags: TextFlags & { readonly context?: number | undefined },
): Promise<void> {
  const { context: depth, after: afterPart, pager } = flags;
  const messageId = await resolveMessageId(sessions, id, typed);
  const around = depth === undefined ? {} : { context: depth };
  const stored = await getMessage(sessions, id, messageId, { ...around, afterPart });
  const redactor = await createRedactorFor(flags);
  const toShow = context.output.isJson ? cutContext(stored) : stored;
  const view = redactor ? redactView(redactor, toShow) : toShow;
  if (context.output.isJson) {
    await printJson(context.output, view);
  } else {
    await withPager(context, pager, async (output) => {
      printSessionHeader({ ...context, output }, view.session);
      // Whoever pages through a message has seen its neighbours, but may ask for them again.
      const isFirst = afterPart === undefined || depth !== undefined;
      if (isFirst) for (const message of view.before) printMessage(output, message);
      printMessage(output, view.target, { isTarget: true });
      if (isFirst) for (const message of view.after) printMessage(output, message);
    });
    const { content } = view.target;
    const last = typeof content === "string" ? undefined : content?.at(-1)?.id;
    if (view.target_parts_remaining > 0 && last !== undefined) {
      const count = formatCounted(view.target_parts_remaining, "more part");
      context.output.note(safe`${count} of it: ${safeText(shellLine(["--after", last]))}`);
    }
  }
  if (redactor) noteRedacted(context.output, redactor.counts());
}

/** Shows a session: a page of it as JSON, or all of it as text. */
export async function showSession(
  context: Context,
  sessions: SessionStore,
  id: string,
  { mode, after: afterId, pager, ...flags }: TextFlags & { readonly mode: ResponseMode },
): Promise<void> {
  if (context.output.isJson) {
    const redactor = await createRedactorFor(flags);
    const page = await getSession(sessions, id, { mode, afterId });
    await printJson(context.output, redactor ? redactPage(redactor, page) : page);
    if (redactor) noteRedacted(context.output, redactor.counts());
    return;
  }
  let redactor: Redactor | undefined;
  let isEmpty = false;
  await withPager(context, pager, async (output, waitForReader) => {
    redactor = await createRedactorFor(flags);
    const limitBytes = bytesPerTextPage;
    let isFirst = true;
    // A person reads on; only programs want pages.
    for await (const stored of readPages(sessions, id, { mode, afterId, limitBytes })) {
      const page = redactor ? redactPage(redactor, stored) : stored;
      if (isFirst) {
        printSessionHeader({ ...context, output }, page.session);
        isEmpty = page.messages.length === 0;
      }
      isFirst = false;
      for (const message of page.messages) {
        printMessage(output, message);
        if (!(await waitForReader())) return;
      }
    }
  });
  if (isEmpty) context.output.note(emptyTexts[mode]);
  if (redactor) noteRedacted(context.output, redactor.counts());
}

const emptyTexts: Readonly<Record<ResponseMode, SafeText>> = {
  conversational: safeText("No conversation in it. `--mode complete` shows every record."),
  complete: safeText("It holds no message."),
  verbatim: safeText("It holds no message."),
};
