import { normalizeText } from "./normalize-text.ts";
import { unspacedLetters } from "./unspaced-runs.ts";

const letter = `[\\p{L}--${unspacedLetters}]\\p{M}*`;
const longWord = new RegExp(`((?:${letter}){5})(?:${letter})+`, "gv");

const hangul = /\p{Script=Hangul}/u;
const other = `[[\\p{L}\\p{N}]--[${unspacedLetters}\\p{Script=Hangul}]]`;
const besideHangul = new RegExp(
  `(?<=${other})(?=\\p{Script=Hangul})|(?<=\\p{Script=Hangul})(?=${other})`,
  "gv",
);

/**
 * A text as windows hold it: words cut to five letters, so that inflected forms match in any
 * language (`search-language-neutral-index`). Messages are also searched by whole words. However it
 * was typed, a text has one form ({@link normalizeText}). Scripts without spaces stay as they are,
 * because a run of them is many words; words of other scripts among them are cut: `用Docke运行`. To
 * the index `API를` is one word, so only windows are found by its `API`.
 */
export function windowText(text: string): string {
  const normalized = normalizeText(text);
  const spaced = hangul.test(normalized) ? normalized.replace(besideHangul, " ") : normalized;
  return spaced.replace(longWord, "$1");
}
