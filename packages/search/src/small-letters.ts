/**
 * A text in small letters. Of letters that one capital has two of there is one: of Greek sigma, in a
 * word and at its end, and of mu, which keyboards write as the micro sign too.
 */
export function inSmallLetters(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ").replaceAll("\u00b5", "μ");
}

/** Of these the index makes two words. */
const twofold = /[σςΣ\u00b5μ\u039c]/;
const lastSigma = /(?<=\p{L}\p{M}*)[σΣ](?![\p{L}\p{M}\p{N}])/gu;
const micro = /(?<!\p{Script=Greek}\p{M}*)[\u00b5μ\u039c](?!\p{Script=Greek})/gu;

/** The ways to write a text that the index keeps apart: as it is, and in either way throughout. */
export function indexForms(text: string): string[] {
  if (!twofold.test(text)) return [text];
  const asOfCapitals = text.replaceAll("ς", "σ").replaceAll(micro, "\u00b5");
  const asInASentence = text.replaceAll(lastSigma, "ς").replaceAll(micro, "μ");
  return [...new Set([text, asOfCapitals, asInASentence])];
}
