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

type SessionFlags = TextFlags & {
  readonly mode: ResponseMode;
  readonly end?: boolean | undefined;
  readonly before?: string | undefined;
};

const bytesPerTextPage = 1024 * 1024;
// A few screens.
const bytesOfEnd = 8 * 1024;

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

/** Shows a session: a page of it as JSON; as text all of it, or its end. */
export async function showSession(
  context: Context,
  sessions: SessionStore,
  id: string,
  flags: SessionFlags,
): Promise<void> {
  const { mode, after: afterId, before: beforeId, end: isFromEnd } = flags;
  if (context.output.isJson) {
    const redactor = await createRedactorFor(flags);
    const page = await getSession(sessions, id, { mode, afterId, beforeId, isFromEnd });
    await printJson(context.output, redactor ? redactPage(redactor, page) : page);
    if (redactor) noteRedacted(context.output, redactor.counts());
  } else if (isFromEnd || beforeId !== undefined) await showEnd(context, sessions, id, flags);
  else await showWhole(context, sessions, id, flags);
}

/** The last messages, or those before one, and how to see what was before them. */
async function showEnd(
  context: Context,
  sessions: SessionStore,
  id: string,
  { mode, before: beforeId, pager, ...flags }: SessionFlags,
): Promise<void> {
  const redactor = await createRedactorFor(flags);
  const options = { mode, isFromEnd: true, beforeId, limitBytes: bytesOfEnd };
  const stored = await getSession(sessions, id, options);
  const page = redactor ? redactPage(redactor, stored) : stored;
  await withPager(context, pager, async (output) => {
    printSessionHeader({ ...context, output }, page.session);
    for (const message of page.messages) printMessage(output, message);
  });
  const { messages_before: earlier = 0, messages } = stored;
  const [first] = messages;
  if (first === undefined) context.output.note(nothingThere(mode, beforeId));
  else if (earlier > 0) {
    const count = formatCounted(earlier, "earlier message");
    context.output.note(safe`${count}: ${safeText(shellLine(["--before", first.id]))}`);
  }
  if (redactor) noteRedacted(context.output, redactor.counts());
}

async function showWhole(
  context: Context,
  sessions: SessionStore,
  id: string,
  { mode, after: afterId, pager, ...flags }: SessionFlags,
): Promise<void> {
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

function nothingThere(mode: ResponseMode, beforeId: string | undefined): SafeText {
  return beforeId === undefined ? emptyTexts[mode] : safeText("Nothing comes before it.");
}

const emptyTexts: Readonly<Record<ResponseMode, SafeText>> = {
  conversational: safeText("No conversation in it. `--mode complete` shows every record."),
  complete: safeText("It holds no message."),
  verbatim: safeText("It holds no message."),
};
