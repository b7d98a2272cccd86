import { createHash } from "node:crypto";
import { type Block, blocksOf, type Piece } from "../blocks.ts";
import { extentOf, isShort } from "../extent.ts";
import { isWebLink } from "../prose.ts";
import type { PageOptions, SharedMessage, SharedSession } from "../shared-session.ts";
import { promptOf, withTitle } from "../title.ts";
import { closingNotes, continuesAnswer, momentOf, roleName, sizeOf } from "../wording.ts";
import { escapeHtml, type Html, html, joinHtml, trustedHtml } from "./html.ts";
import { createRichText } from "./rich-text.ts";
import { pageStyle } from "./style.ts";

/** The most prompts that the table of contents lists. */
const maxPrompts = 500;

/**
 * Renders a session as one HTML file and yields it in pieces. Whatever the session holds, the file
 * has no script and fetches nothing.
 *
 * @throws The error of `messages`, if reading them fails.
 */
export async function* toHtml(
  shared: SharedSession,
  options: PageOptions = {},
): AsyncGenerator<string> {
  const { redactor } = options;
  const head = { session: shared.session, children: [...(shared.children ?? [])] };
  const shown = redactor ? redactor.json(head) : head;
  const { title, messages } = await withTitle(shared, options);
  yield pageStart(title ?? `Session of ${shown.session.source_agent}`, { ...shared, ...shown });
  const writer = new MessageWriter();
  for await (const message of messages) {
    const written = writer.write(message);
    if (written !== undefined) yield written;
  }
  yield html`</main>\n${contents(writer.prompts)}`;
  yield html`<footer><p>${escapeHtml(closingNotes(writer, redactor))}</p></footer>\n</body>\n</html>\n`;
}

function pageStart(title: string, { session, children = [] }: SharedSession): Html {
  const { id, source_agent, project, created_at, parent_session_id } = session;
  const facts: [string, Html][] = [
    ["Client", escapeHtml(source_agent)],
    ["Project", html`<code>${escapeHtml(project)}</code>`],
    ["Began", time(created_at)],
    ["Session", html`<code>${escapeHtml(id)}</code>`],
  ];
  if (parent_session_id !== undefined) {
    facts.push(["Began in", html`<code>${escapeHtml(parent_session_id)}</code>`]);
  }
  if (children.length > 0) {
    const codes = children.map((child) => html`<code>${escapeHtml(child)}</code>`);
    facts.push(["Sub-agents", joinHtml(codes, " ")]);
  }
  const rows = facts.map(
    ([name, value]) => html`<div><dt>${escapeHtml(name)}</dt><dd>${value}</dd></div>`,
  );
  const hash = createHash("sha256").update(pageStyle).digest("base64");
  const policy = `default-src 'none'; img-src data:; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${trustedHtml(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="pond">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${trustedHtml(pageStyle)}</style>
</head>
<body>
<a class="skip" href="#messages">Skip to the messages</a>
<header class="page">
<h1 dir="auto">${escapeHtml(title)}</h1>
<dl>${joinHtml(rows)}</dl>
</header>
<main id="messages">
`;
}

type Prompt = { readonly anchor: string; readonly text: string };

function contents(prompts: readonly Prompt[]): Html {
  if (prompts.length < 2) return html``;
  const items = prompts.map(
    ({ anchor, text }) =>
      html`<li><a href="#${escapeHtml(anchor)}" dir="auto">${escapeHtml(text)}</a></li>\n`,
  );
  return html`<nav aria-labelledby="contents"><h2 id="contents">Prompts</h2><ol>
${joinHtml(items)}</ol></nav>\n`;
}

/** Writes messages one after the other and keeps what the end of the page says about them. */
class MessageWriter {
  readonly prompts: Prompt[] = [];
  count = 0;
  /** The number of messages with nothing to show. */
  silent = 0;
  #lastRole = "";
  #lastCalls: ReadonlySet<string> = new Set();
  readonly #calls = new Map<string, string>();
  readonly #typed = createRichText({ breaks: true });
  readonly #written = createRichText({ breaks: false });

  write(message: SharedMessage): Html | undefined {
    const { role, timestamp, revised } = message;
    const blocks = blocksOf(message);
    if (blocks.length === 0) {
      this.silent += 1;
      return undefined;
    }
    this.count += 1;
    const anchor = `m${this.count}`;
    const prompt = promptOf(message);
    if (prompt !== undefined && this.prompts.length < maxPrompts) {
      this.prompts.push({ anchor, text: prompt });
    }
    const body = blocks.map((block, at) => this.#block(block, role, `${anchor}-${at + 1}`));
    // The mark of a revised message needs a header line, which a step of an answer does not have.
    const isStep = continuesAnswer(this.#lastRole, role) && !revised;
    this.#lastRole = role;
    if (role === "assistant") this.#lastCalls = callIds(blocks);
    const shownRole = roleName(role);
    const kind = shownRole.toLowerCase();
    const mark = revised ? html` <span class="mark">revised</span>` : html``;
    return html`<article id="${trustedHtml(anchor)}" class="${trustedHtml(isStep ? `${kind} goes-on` : kind)}">
<header><h2>${escapeHtml(shownRole)}</h2>${mark} <a class="anchor" href="#${trustedHtml(anchor)}" aria-label="Link to message ${this.count}">${time(timestamp)}</a></header>
${joinHtml(body, "\n")}
</article>
`;
  }

  #block(block: Block, role: string, anchor: string): Html {
    switch (block.kind) {
      case "prose": {
        const render = role === "assistant" ? this.#written : this.#typed;
        return html`<div class="prose" dir="auto">${render(block.text)}</div>`;
      }
      case "aside":
        if (block.text.trim() === "") {
          return html`<p class="note">${escapeHtml(block.label)}: nothing of it is kept</p>`;
        }
        return html`<details class="aside"><summary>${escapeHtml(block.label)}</summary><div class="prose" dir="auto">${this.#written(block.text)}</div></details>`;
      case "compaction":
        return html`<p class="compaction"><span>Context compacted here</span></p>`;
      case "note":
        return html`<p class="note">${escapeHtml(block.text)}</p>`;
      case "file":
        return file(block);
      case "call":
        this.#calls.set(block.callId, anchor);
        return call(block, anchor);
      case "result": {
        const from = this.#calls.get(block.callId);
        const isNext = from !== undefined && this.#lastCalls.has(block.callId);
        return result(block, isNext ? undefined : from);
      }
    }
  }
}

function callIds(blocks: readonly Block[]): Set<string> {
  return new Set(blocks.flatMap((block) => (block.kind === "call" ? [block.callId] : [])));
}

function call(block: Extract<Block, { kind: "call" }>, anchor: string): Html {
  const { name, gist, isGistComplete, pieces } = block;
  const gistHtml = gist === "" ? html`` : html` <code class="gist">${escapeHtml(gist)}</code>`;
  return html`<details id="${trustedHtml(anchor)}" class="tool"${openIf(!isGistComplete && isShort(pieces))}><summary><b>${escapeHtml(name)}</b>${gistHtml}</summary>${joinHtml(pieces.map(piece))}</details>`;
}

function result(block: Extract<Block, { kind: "result" }>, from: string | undefined): Html {
  const { name, isFailure, pieces } = block;
  const kind = isFailure ? "tool result failed" : "tool result";
  const what = isFailure ? "Failed" : "Result";
  const of = name === undefined ? html`` : html` <span class="of">${escapeHtml(name)}</span>`;
  const link =
    from === undefined
      ? html``
      : html`<p class="note">of <a href="#${trustedHtml(from)}">this call</a></p>`;
  if (pieces.length === 0)
    return html`<p class="${trustedHtml(kind)} empty"><b>${escapeHtml(what)}</b>${of} <span class="size">empty</span></p>`;
  return html`<details class="${trustedHtml(kind)}"${openIf(isShort(pieces))}><summary><b>${escapeHtml(what)}</b>${of} <span class="size">${escapeHtml(extentOf(pieces))}</span></summary>${link}${joinHtml(pieces.map(piece))}</details>`;
}

function piece(one: Piece): Html {
  if (one.kind === "image") return image(one, "Image of the result");
  const name = one.name === undefined ? html`` : html`<p class="name">${escapeHtml(one.name)}</p>`;
  return html`${name}<pre><code>${escapeHtml(one.text)}</code></pre>`;
}

function file({ name, mediaType, content }: Extract<Block, { kind: "file" }>): Html {
  const label = html`<b>${escapeHtml(name)}</b> <span class="of">${escapeHtml(mediaType)}</span>`;
  switch (content.kind) {
    case "image":
      return html`<figure>${image(content, name)}<figcaption>${escapeHtml(name)}</figcaption></figure>`;
    case "text":
      return html`<details class="tool file"><summary>${label}</summary><pre><code>${escapeHtml(content.text)}</code></pre></details>`;
    case "url": {
      const url = escapeHtml(content.url);
      const place = isWebLink(content.url)
        ? html`<a href="${url}" rel="noopener noreferrer">${url}</a>`
        : html`<code>${url}</code>`;
      return html`<p class="missing">${label} not loaded: ${place}</p>`;
    }
    case "bytes":
      return html`<p class="missing">${label} ${escapeHtml(sizeOf(content.count))}, not shown</p>`;
  }
}

/** An image whose media type and base64 alphabet were checked before. */
function image({ mediaType, base64 }: { mediaType: string; base64: string }, name: string): Html {
  return html`<img alt="${escapeHtml(name)}" src="data:${escapeHtml(mediaType)};base64,${escapeHtml(base64)}">`;
}

function openIf(isOpen: boolean): Html {
  return isOpen ? html` open` : html``;
}

function time(rfc3339: string): Html {
  return html`<time datetime="${escapeHtml(rfc3339)}">${escapeHtml(momentOf(rfc3339))}</time>`;
}
