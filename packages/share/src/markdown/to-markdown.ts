import { type Block, blocksOf, type Piece } from "../blocks.ts";
import { extentOf, isShort } from "../extent.ts";
import { escapeHtml } from "../html/html.ts";
import type { PageOptions, SharedMessage, SharedSession } from "../shared-session.ts";
import { withTitle } from "../title.ts";
import { visibleLine } from "../visible.ts";
import { closingNotes, continuesAnswer, momentOf, roleName, sizeOf } from "../wording.ts";
import { createProse } from "./prose.ts";
import { codeSpan, escapeMarkdown, fenced } from "./quoting.ts";

/**
 * Renders a session as a Markdown page and yields it in pieces. The page is CommonMark with
 * `<details>`, which most viewers show. Text of the session cannot become a tag, an image, a
 * heading of the page, or a link to anything other than the web.
 *
 * @throws The error of `messages`, if reading them fails.
 */
export async function* toMarkdown(
  shared: SharedSession,
  options: PageOptions = {},
): AsyncGenerator<string> {
  const { redactor } = options;
  const head = { session: shared.session, children: [...(shared.children ?? [])] };
  const shown = redactor ? redactor.json(head) : head;
  const { title, messages } = await withTitle(shared, options);
  yield `# ${escapeMarkdown(title ?? `Session of ${shown.session.source_agent}`)}\n\n`;
  yield `${factsOf({ ...shared, ...shown }).join("\n")}\n`;
  const writer = new MessageWriter();
  for await (const message of messages) {
    const written = writer.write(message);
    if (written !== undefined) yield written;
  }
  yield `\n---\n\n${escapeMarkdown(closingNotes(writer, redactor))}\n`;
}

function factsOf({ session, children = [] }: SharedSession): string[] {
  const { id, source_agent, project, created_at, parent_session_id } = session;
  const facts = [
    `- Client: ${codeSpan(source_agent)}`,
    `- Project: ${codeSpan(project)}`,
    `- Began: ${escapeMarkdown(momentOf(created_at))}`,
    `- Session: ${codeSpan(id)}`,
  ];
  if (parent_session_id !== undefined) facts.push(`- Began in: ${codeSpan(parent_session_id)}`);
  if (children.length > 0) facts.push(`- Sub-agents: ${children.map(codeSpan).join(" ")}`);
  return facts;
}

/** Writes messages one after the other and counts them. */
class MessageWriter {
  count = 0;
  /** The number of messages with nothing to show. */
  silent = 0;
  #lastRole = "";
  readonly #typed = createProse({ breaks: true });
  readonly #written = createProse({ breaks: false });

  write(message: SharedMessage): string | undefined {
    const { role, timestamp, revised } = message;
    const blocks = blocksOf(message);
    if (blocks.length === 0) {
      this.silent += 1;
      return undefined;
    }
    this.count += 1;
    const level = continuesAnswer(this.#lastRole, role) ? "###" : "##";
    this.#lastRole = role;
    const mark = revised ? " (revised)" : "";
    const heading = `${level} ${roleName(role)}, ${escapeMarkdown(momentOf(timestamp))}${mark}`;
    const body = blocks.map((block) => this.#block(block, role));
    return `\n${[heading, ...body].join("\n\n")}\n`;
  }

  #block(block: Block, role: string): string {
    switch (block.kind) {
      case "prose":
        return role === "assistant" ? this.#written(block.text) : this.#typed(block.text);
      case "aside":
        return block.text.trim() === ""
          ? `*${escapeMarkdown(block.label)}: nothing of it is kept*`
          : folded(block.label, this.#written(block.text));
      case "compaction":
        return "*Context compacted here*";
      case "note":
        return `*${escapeMarkdown(block.text)}*`;
      case "file":
        return file(block);
      case "call":
        return call(block);
      case "result":
        return result(block);
    }
  }
}

function call({ name, gist, isGistComplete, pieces }: Extract<Block, { kind: "call" }>): string {
  const heading = `**${escapeMarkdown(name)}** ${codeSpan(gist)}`.trimEnd();
  if (isGistComplete) return heading;
  const given = pieces.map(piece).join("\n\n");
  return isShort(pieces) ? `${heading}\n\n${given}` : `${heading}\n\n${folded("Arguments", given)}`;
}

function result({ name, isFailure, pieces }: Extract<Block, { kind: "result" }>): string {
  const of = name === undefined ? "" : ` of ${name}`;
  const what = `${isFailure ? "Failed" : "Result"}${of}`;
  if (pieces.length === 0) return `**${escapeMarkdown(what)}**: empty`;
  const given = pieces.map(piece).join("\n\n");
  return isShort(pieces)
    ? `**${escapeMarkdown(what)}**\n\n${given}`
    : folded(`${what}, ${extentOf(pieces)}`, given);
}

function piece(one: Piece): string {
  if (one.kind === "image") return notShown("image", one.mediaType, one.base64.length * 0.75);
  const name = one.name === undefined ? "" : `${codeSpan(one.name)}:\n\n`;
  return `${name}${fenced(one.text, one.kind === "json" ? "json" : "")}`;
}

function file({ name, mediaType, content }: Extract<Block, { kind: "file" }>): string {
  const label = `**${escapeMarkdown(name)}** (${escapeMarkdown(mediaType)})`;
  switch (content.kind) {
    case "image":
      return notShown(name, mediaType, content.base64.length * 0.75);
    case "text":
      return folded(`${name}, ${mediaType}`, fenced(content.text));
    case "url":
      return `${label}, not loaded: ${codeSpan(content.url)}`;
    case "bytes":
      return notShown(name, mediaType, content.count);
  }
}

function notShown(name: string, mediaType: string, bytes: number): string {
  return `**${escapeMarkdown(name)}** (${escapeMarkdown(mediaType)}), ${sizeOf(Math.floor(bytes))}, not shown`;
}

/**
 * A folded block. Blank lines make its inside Markdown again. The line of the summary is HTML,
 * where a backslash escapes nothing.
 */
function folded(summary: string, inside: string): string {
  const line = escapeHtml(visibleLine(summary, 300));
  return `<details><summary>${line}</summary>\n\n${inside}\n\n</details>`;
}
