import { inOneForm } from "./one-form.ts";

const longWord = /((?:\p{L}\p{M}*){5})(?:\p{L}\p{M}*)+/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * A text as windows hold it: words cut to five letters, so that inflected forms meet in any
 * language (`search-language-neutral-index`). Messages are searched by whole words beside it.
 * However it was typed, a text has one form ({@link inOneForm}). Scripts without spaces stay as
 * they are: a run of them is many words.
 */
export function windowText(text: string): string {
  return inOneForm(text).replace(longWord, (word, head: string) =>
    unspaced.test(word) ? word : head,
  );
}
