import createMarkdown, { type Env, type MarkdownIt, type Token } from "markdown-it";
import { isWebLink, maxProseLength } from "../prose.ts";
import { visible } from "../visible.ts";
import { sanitizeInline } from "./inline.ts";
import { fenced } from "./quoting.ts";

/** The heading levels of the page above: the title, turns, and the steps of a turn. */
const pageHeadingLevels = 3;
const maxNesting = 40;

/**
 * Creates a function that makes text of a session part of a Markdown page. The result holds no tag,
 * no image, no heading of the page and no link into a program. Nothing that the text leaves open
 * continues after it.
 */
export function createProse({ breaks }: { readonly breaks: boolean }): (text: string) => string {
  const reader = createMarkdown({ html: false, maxNesting });
  // Some viewers turn addresses into links before they look for code and escapes.
  const validators = [false, true].map((linkify) =>
    createMarkdown({ html: true, linkify, maxNesting: maxNesting * 2 }),
  );
  // A link that these parsers refuse would look like text to them, but like a link to viewers.
  for (const each of [reader, ...validators]) each.validateLink = () => true;
  return (text) => {
    if (text.length > maxProseLength) return fenced(text);
    const shown = visible(text).trimEnd().replace(/^\n+/, "");
    const sanitized = sanitize(shown, reader.parse(shown, {}), breaks);
    // Text in a form that was not foreseen is shown as it was typed.
    return validators.every((validator) => isSafe(sanitized, validator)) ? sanitized : fenced(text);
  };
}

/** The same lines, changed only within a line, so that every block keeps its kind. */
function sanitize(text: string, tokens: readonly Token[], breaks: boolean): string {
  const lines = text.split("\n");
  const isDone = new Array<boolean>(lines.length).fill(false);
  for (const [at, token] of tokens.entries()) {
    if (token.map === null) continue;
    const [first, next] = token.map;
    if (token.type === "fence" || token.type === "code_block") isDone.fill(true, first, next);
    if (token.type === "heading_open") lowerHeading(lines, token, first, next);
    if (token.type !== "inline") continue;
    const isBroken = breaks && tokens[at - 1]?.type === "paragraph_open";
    const sanitizedLines = sanitizeInline(lines.slice(first, next).join("\n")).split("\n");
    for (const [offset, line] of sanitizedLines.entries()) {
      const isLast = offset === sanitizedLines.length - 1;
      lines[first + offset] = isBroken && !isLast ? `${line.trimEnd()}  ` : line;
      isDone[first + offset] = true;
    }
  }
  const sanitized = lines.map((line, at) => (isDone[at] ? line : sanitizeInline(line)));
  const last = tokens.at(-1);
  if (last?.type === "fence" && last.level === 0 && !isClosed(lines, last))
    sanitized.push(last.markup);
  return sanitized.join("\n");
}

function lowerHeading(lines: string[], { markup, tag }: Token, first: number, next: number): void {
  if (markup.startsWith("#")) {
    const level = Math.min(6, Number(tag.slice(1)) + pageHeadingLevels);
    lines[first] = (lines[first] ?? "").replace(markup, "#".repeat(level));
  } else {
    // An underlined heading: without the underline, the text above stays a paragraph.
    lines[next - 1] = (lines[next - 1] ?? "").replace(/[=-]{1,}\s*$/, "");
  }
}

function isClosed(lines: readonly string[], { map, markup }: Token): boolean {
  const [first, next] = map ?? [0, 0];
  const closing = (lines[next - 1] ?? "").trim();
  return next - 1 > first && closing.startsWith(markup) && /^(?:`+|~+)$/.test(closing);
}

const endMarker = "end-of-prose";

function isSafe(text: string, validator: MarkdownIt): boolean {
  const env: Env = {};
  const tokens = validator.parse(`${text}\n\n${endMarker}\n`, env);
  if (Object.keys(env.references ?? {}).length > 0) return false;
  const isEndApart = tokens.at(-2)?.content === endMarker && tokens.at(-2)?.level === 1;
  return isEndApart && tokens.every(isSafeToken);
}

function isSafeToken(token: Token): boolean {
  if (token.level > maxNesting) return false;
  switch (token.type) {
    case "html_block":
    case "html_inline":
    case "image":
      return false;
    case "heading_open":
      return Number(token.tag.slice(1)) > pageHeadingLevels;
    case "link_open":
      // An address that a viewer turns into a link shows where it leads, even an `ftp://` one.
      return token.markup === "linkify" || isWebLink(String(token.attrGet("href") ?? ""));
    default:
      return token.children?.every(isSafeToken) ?? true;
  }
}
