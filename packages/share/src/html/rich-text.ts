import createMarkdown, { type MarkdownIt } from "markdown-it";
import { isWebLink, maxProseLength } from "../prose.ts";
import { visible } from "../visible.ts";
import { escapeHtml, type Html, html, trustedHtml } from "./html.ts";

/** Creates a renderer of Markdown. `breaks` keeps the line breaks that a person typed. */
export function createRichText({ breaks }: { readonly breaks: boolean }): (text: string) => Html {
  const markdown = createMarkdown({ html: false, breaks, linkify: false, maxNesting: 40 });
  markdown.validateLink = (url) => isWebLink(url) || !/^[a-z][a-z0-9+.-]*:/i.test(url);
  addRules(markdown);
  return (text) =>
    text.length > maxProseLength
      ? html`<pre class="plain">${escapeHtml(text)}</pre>`
      : trustedHtml(markdown.render(visible(text)));
}

function addRules({ renderer }: MarkdownIt): void {
  const { rules } = renderer;
  // Below the headings of the page, so that no text of the session can look like one of them.
  rules["heading_open"] = rules["heading_close"] = (tokens, at) => {
    const token = tokens[at];
    const level = Math.min(6, Number(token?.tag.slice(1)) + 2);
    return token?.nesting === 1 ? `<h${level}>` : `</h${level}>\n`;
  };
  rules["link_open"] = (tokens, at) => {
    const url = String(tokens[at]?.attrGet("href") ?? "");
    if (isWebLink(url)) return html`<a href="${escapeHtml(url)}" rel="noopener noreferrer">`;
    // A path on the writer's machine leads nowhere from here. Links cannot be nested.
    const close = tokens.slice(at).find(({ type }) => type === "link_close");
    if (close) close.meta = { isPlain: true };
    return html`<span class="place" title="${escapeHtml(url)}">`;
  };
  rules["link_close"] = (tokens, at) => {
    const meta: { isPlain?: boolean } | null = tokens[at]?.meta ?? null;
    return meta?.isPlain ? "</span>" : "</a>";
  };
  rules["image"] = (tokens, at) => {
    const token = tokens[at];
    const url = String(token?.attrGet("src") ?? "").slice(0, 200);
    return html`<span class="missing">Image not loaded: ${escapeHtml(token?.content || url)}</span>`;
  };
  rules["table_open"] = () => '<div class="table" tabindex="0"><table>\n';
  rules["table_close"] = () => "</table></div>\n";
  // The renderer would use inline styles, which the page forbids.
  rules["th_open"] = rules["td_open"] = (tokens, at) => {
    const token = tokens[at];
    const align = /right|center/.exec(String(token?.attrGet("style") ?? ""))?.[0];
    const tag = token?.tag === "th" ? "th" : "td";
    return align === undefined ? `<${tag}>` : `<${tag} class="${align}">`;
  };
}
