import { inOneForm } from "./one-form.ts";

// No character, so that nobody writes or looks for it.
const divider = "\uffff";

/**
 * What `search_text` holds: the text as it is, and behind it those of its lines that are not in the
 * form a query comes in ({@link inOneForm}). The index finds the one, whoever reads gets the other.
 */
export function toIndexed(text: string): string {
  const one = inOneForm(text);
  if (one === text && !text.includes(divider)) return text;
  const lines = text.split("\n");
  const others = one.split("\n").filter((line, at) => line !== lines[at]);
  return `${text}${divider}${others.join("\n").replaceAll(divider, "")}`;
}

/** The text itself of what `search_text` holds. */
export function fromIndexed(stored: string): string {
  const end = stored.lastIndexOf(divider);
  return end === -1 ? stored : stored.slice(0, end);
}
