import { resolve } from "node:path";
import {
  childrenOf,
  clientTitles,
  type ResponseMode,
  readPages,
  type SessionPage,
  type SessionStore,
  type ShownMessage,
} from "@pond/sessions";
import { type Redactor, type SharedMessage, toHtml, toMarkdown } from "@pond/share";
import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { onInterrupt } from "../interrupt.ts";
import { refuseNoPlace, writeOutFile } from "../out-file.ts";
import { printJson } from "../output/json.ts";
import { formatBytes, formatCount } from "../output/numbers.ts";
import {
  describeRate,
  describeShare,
  describeTimeLeft,
  fitted,
  ProgressLine,
} from "../output/progress.ts";
import { say, shown, shownLine } from "../output/shown.ts";
import { withPager } from "../pager.ts";
import { createRedaction, noteRedacted, type RedactionFlags } from "../redacted.ts";

export type PageFormat = "markdown" | "html";

export type PageFlags = RedactionFlags & {
  readonly format: PageFormat;
  /** A page holds everything, unless only the conversation is wanted. */
  readonly mode: ResponseMode;
  readonly after?: string | undefined;
  readonly pager: boolean;
};

const formats = { markdown: toMarkdown, html: toHtml };
const names = { markdown: "Markdown", html: "HTML" };
const bytesAtOnce = 1024 * 1024;

/** Shows a session as a page that can be passed on. */
export async function showPage(
  context: Context,
  sessions: SessionStore,
  id: string,
  flags: PageFlags,
): Promise<void> {
  let redactor: Redactor | undefined;
  await withPager(context, flags.pager, async (output, goesOn) => {
    redactor = await createRedaction(flags);
    for await (const piece of piecesOf(sessions, id, flags, { redactor })) {
      output.text(shown(piece));
      if (!(await goesOn())) return;
    }
  });
  if (redactor) noteRedacted(context.output, redactor.counts());
}

/** Writes the page into a file. */
export async function writePage(
  { output, home }: Context,
  sessions: SessionStore,
  id: string,
  flags: PageFlags & { readonly out: string; readonly isForced: boolean },
): Promise<void> {
  const { format } = flags;
  const file = resolve(flags.out);
  refuseNoPlace(flags.out, format === "html" ? "FILE.html" : "FILE.md");
  const redactor = await createRedaction(flags);
  const progress = new ProgressLine(output);
  const { signal, stop } = onInterrupt();
  const onMessages = (done: number, total: number): void => {
    signal.throwIfAborted();
    progress.show("page", { done, total }, (pace) => {
      const perSecond = (each: number) => say`${formatCount(each)} messages/s`;
      const rate = describeRate(done, pace.elapsedMs, perSecond);
      const facts = [say`writing  ${describeShare(pace)}`, describeTimeLeft(pace), rate];
      return fitted(facts, pace.columns);
    });
  };
  try {
    const pieces = piecesOf(sessions, id, flags, { redactor, onMessages });
    const bytes = await writeOutFile(file, pieces, flags.isForced);
    progress.clear();
    if (output.isJson) {
      await printJson(output, {
        file,
        bytes,
        format,
        ...(redactor && { redacted: redactor.counts() }),
      });
      return;
    }
    const where = shownLine(shortenHome(file, home));
    if (!output.isQuiet)
      output.line(say`${where}: ${formatBytes(bytes)} of ${shown(names[format])}.`);
    if (redactor) noteRedacted(output, redactor.counts());
  } finally {
    progress.clear();
    stop();
  }
}

type PieceOptions = {
  readonly redactor: Redactor | undefined;
  readonly onMessages?: (done: number, total: number) => void;
};

async function* piecesOf(
  sessions: SessionStore,
  id: string,
  { format, mode: wanted, after: afterId }: PageFlags,
  { redactor, onMessages }: PieceOptions,
): AsyncGenerator<string> {
  const mode = wanted === "conversational" ? wanted : "verbatim";
  const pages = readPages(sessions, id, { mode, afterId, limitBytes: bytesAtOnce });
  const first = await pages.next();
  if (first.done) return;
  const shared = {
    session: first.value.session,
    title: (await clientTitles(sessions.store, [id])).get(id),
    messages: messagesOf(first.value, pages, onMessages),
    children: [...(await childrenOf(sessions.store, [id])).keys()].sort(),
  };
  yield* formats[format](shared, { redactor });
}

async function* messagesOf(
  first: SessionPage,
  others: AsyncGenerator<SessionPage>,
  onMessages?: PieceOptions["onMessages"],
): AsyncGenerator<SharedMessage> {
  const total = first.messages.length + first.messages_remaining;
  async function* all(): AsyncGenerator<SessionPage> {
    yield first;
    yield* others;
  }
  for await (const page of all()) {
    for (const message of page.messages) yield toShared(message);
    onMessages?.(total - page.messages_remaining, total);
  }
}

function toShared({ text = "", content = text, ...message }: ShownMessage): SharedMessage {
  return { ...message, content } as SharedMessage;
}
