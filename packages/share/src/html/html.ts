import { visible } from "../visible.ts";

declare const brand: unique symbol;

/** Markup that holds nothing of a session unescaped: made by the functions here alone. */
export type Html = string & { readonly [brand]: true };

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text, for between tags and for quoted attributes. */
export function escaped(text: string): Html {
  return visible(text).replaceAll(/[&<>"']/g, (character) => entities[character] ?? "") as Html;
}

/** A template of our own markup around markup. */
export function html(words: TemplateStringsArray, ...values: readonly (Html | number)[]): Html {
  return String.raw({ raw: words }, ...values) as Html;
}

export function joined(pieces: readonly Html[], separator: string = ""): Html {
  return pieces.join(separator) as Html;
}

/** Markup of a renderer that escapes by itself. */
export function rendered(markup: string): Html {
  return markup as Html;
}
