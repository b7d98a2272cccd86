import { visible } from "../visible.ts";

declare const brand: unique symbol;

/** Markup in which all text of a session is escaped. Only the functions of this file make it. */
export type Html = string & { readonly [brand]: true };

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text for use between tags and in quoted attributes. */
export function escapeHtml(text: string): Html {
  return visible(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "") as Html;
}

/** Template tag: puts our own markup around other markup. */
export function html(words: TemplateStringsArray, ...values: readonly (Html | number)[]): Html {
  return String.raw({ raw: words }, ...values) as Html;
}

export function joinHtml(pieces: readonly Html[], separator: string = ""): Html {
  return pieces.join(separator) as Html;
}

/** Accepts the markup of a renderer that escapes text itself. */
export function trustedHtml(markup: string): Html {
  return markup as Html;
}
