/**
 * A text in small letters. Of letters that one capital has two of there is one: of Greek sigma, in a
 * word and at its end, and of mu, which keyboards write as the micro sign too. So it is with ß, whose
 * capitals are SS, and with the i of Turkish, which has a dot in capitals too, or in neither.
 */
export function inSmallLetters(text: string): string {
  const small = text.toLowerCase().replaceAll("ς", "σ").replaceAll("\u00b5", "μ");
  return small.replaceAll("ß", "ss").replaceAll("i\u0307", "i").replaceAll("ı", "i");
}

/** Of these the index makes two words. */
const twofold = /[σςΣ\u00b5μ\u039cßẞiIıİ]|ss/i;
const lastSigma = /(?<=\p{L}\p{M}*)[σΣ](?![\p{L}\p{M}\p{N}])/gu;
const micro = /(?<!\p{Script=Greek}\p{M}*)[\u00b5μ\u039c](?!\p{Script=Greek})/gu;

/** The ways to write a text that the index keeps apart: as it is, and in either way throughout. */
export function indexForms(text: string): string[] {
  if (!twofold.test(text)) return [text];
  const asOfCapitals = text.replaceAll("ς", "σ").replaceAll(micro, "\u00b5");
  const asInASentence = text.replaceAll(lastSigma, "ς").replaceAll(micro, "μ");
  const withoutSharp = text.replaceAll(/[ßẞ]/g, "ss");
  const forms = [...new Set([text, asOfCapitals, asInASentence, withoutSharp])];
  for (const form of isWord.test(text) ? [...sharp(text), ...turkish(text)] : []) {
    // The index writes each in small letters, as most languages do.
    const small = form.toLowerCase();
    if (forms.every((other) => other.toLowerCase() !== small)) forms.push(form);
  }
  return forms;
}

// Of phrases and names each way would be a search of its own.
const isWord = /^\p{L}+$/u;

/** A word in which an SS is the capital of ß: each of them, and all. */
function sharp(word: string): string[] {
  const pairs = [...word.matchAll(/ss/gi)].map(({ index }) => index);
  const each = pairs.map((at) => `${word.slice(0, at)}ß${word.slice(at + 2)}`);
  return pairs.length > 1 ? [...each, word.replaceAll(/ss/gi, "ß")] : each;
}

/** A word as Turkish has it in small letters, with a capital and in capitals. */
function turkish(word: string): string[] {
  const capitals = word.toLocaleUpperCase("tr");
  const small = word.toLocaleLowerCase("tr");
  return [small, `${capitals.slice(0, 1)}${small.slice(1)}`, capitals];
}
