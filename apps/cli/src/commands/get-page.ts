import { resolve } from "node:path";
import {
  childrenOf,
  clientTitles,
  type ResponseMode,
  readPages,
  type SessionPage,
  type SessionStore,
} from "@pond/sessions";
import { type Redactor, type SharedMessage, toHtml, toMarkdown } from "@pond/share";
import type { Context } from "../context.ts";
import { shortenHome } from "../directories.ts";
import { onInterrupt } from "../interrupt.ts";
import { refuseUnwritablePath, writeOutFile } from "../out-file.ts";
import { printJson } from "../output/json.ts";
import { formatBytes, formatCount } from "../output/numbers.ts";
import {
  describeRate,
  describeShare,
  describeTimeLeft,
  fitFacts,
  ProgressLine,
} from "../output/progress.ts";
import { safe, safeLine, safeText } from "../output/safe-text.ts";
import { withPager } from "../pager.ts";
import { createRedactorFor, noteRedacted, type RedactionFlags } from "../redaction.ts";

export type PageFormat = "markdown" | "html";

export type PageFlags = RedactionFlags & {
  readonly format: PageFormat;
  /** A page holds everything, unless only the conversation is wanted. */
  readonly mode: ResponseMode;
  readonly after?: string | undefined;
  readonly pager: boolean;
};

const renderers = { markdown: toMarkdown, html: toHtml };
const names = { markdown: "Markdown", html: "HTML" };
const bytesPerPage = 1024 * 1024;

/** Shows a session as a page that can be passed on. */
export async function showPage(
  context: Context,
  sessions: SessionStore,
  id: string,
  flags: PageFlags,
): Promise<void> {
  let redactor: Redactor | undefined;
  await withPager(context, flags.pager, async (output, waitForReader) => {
    redactor = await createRedactorFor(flags);
    for await (const piece of renderPage(sessions, id, flags, { redactor })) {
      output.text(safeText(piece));
      if (!(await waitForReader())) return;
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
  refuseUnwritablePath(flags.out, format === "html" ? "FILE.html" : "FILE.md");
  const redactor = await createRedactorFor(flags);
  const progress = new ProgressLine(output);
  const { signal, stop } = onInterrupt();
  const onMessages = (done: number, total: number): void => {
    signal.throwIfAborted();
    progress.show("page", { done, total }, (pace) => {
      const perSecond = (each: number) => safe`${formatCount(each)} messages/s`;
      const rate = describeRate(done, pace.elapsedMs, perSecond);
      const facts = [safe`writing  ${describeShare(pace)}`, describeTimeLeft(pace), rate];
      return fitFacts(facts, pace.columns);
    });
  };
  try {
    const pieces = renderPage(sessions, id, flags, { redactor, onMessages });
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
    const where = safeLine(shortenHome(file, home));
    if (!output.isQuiet)
      output.line(safe`${where}: ${formatBytes(bytes)} of ${safeText(names[format])}.`);
    if (redactor) noteRedacted(output, redactor.counts());
  } finally {
    progress.clear();
    stop();
  }
}

type RenderOptions = {
  readonly redactor: Redactor | undefined;
  readonly onMessages?: (done: number, total: number) => void;
};

async function* renderPage(
  sessions: SessionStore,
  id: string,
  { format, mode: wanted, after: afterId }: PageFlags,
  { redactor, onMessages }: RenderOptions,
): AsyncGenerator<string> {
  const mode = wanted === "conversational" ? wanted : "verbatim";
  const pages = readPages(sessions, id, { mode, afterId, limitBytes: bytesPerPage });
  const first = await pages.next();
  if (first.done) return;
  const shared = {
    session: first.value.session,
    title: (await clientTitles(sessions.store, [id])).get(id),
    messages: messagesOf(first.value, pages, onMessages),
    children: [...(await childrenOf(sessions.store, [id])).keys()].sort(),
  };
  yield* renderers[format](shared, { redactor });
}

async function* messagesOf(
  first: SessionPage,
  others: AsyncGenerator<SessionPage>,
  onMessages?: RenderOptions["onMessages"],
): AsyncGenerator<SharedMessage> {
  const total = first.messages.length + first.messages_remaining;
  async function* all(): AsyncGenerator<SessionPage> {
    yield first;
    yield* others;
  }
  for await (const page of all()) {
    yield* page.messages;
    onMessages?.(total - page.messages_remaining, total);
  }
}
