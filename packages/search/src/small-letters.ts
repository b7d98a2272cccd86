/**
 * A text in small letters. Of letters that one capital has two of there is one: of Greek sigma, in a
 * word and at its end, and of mu, which keyboards write as the micro sign too. So it is with ß, whose
 * capitals are SS, and with the i of Turkish, which has a dot in capitals too, or in neither.
 */
export function inSmallLetters(text: string): string {
  const small = text.toLowerCase().replaceAll("ς", "σ").replaceAll("\u00b5", "μ");
  return small.replaceAll("ß", "ss").replaceAll("i\u0307", "i").replaceAll("ı", "i");
}

/** The ways to write a text that the index keeps apart: as it is, and in either way throughout. */
export function indexForms(text: string): string[] {
  return [...new Set(letterForms(text).flatMap(greekForms))];
}

/** The same of a text as windows hold it, cut by `cut`: letters that are cut off made no difference. */
export function cutForms(text: string, cut: (text: string) => string): string[] {
  const forms = distinct(letterForms(text).map(cut));
  return [...new Set(forms.flatMap(greekForms))];
}

/** Of these the index makes two words. */
const twofold = /[σςΣ\u00b5μ\u039c]/;
const lastSigma = /(?<=\p{L}\p{M}*)[σΣ](?![\p{L}\p{M}\p{N}])/gu;
const micro = /(?<!\p{Script=Greek}\p{M}*)[\u00b5μ\u039c](?!\p{Script=Greek})/gu;

function greekForms(text: string): string[] {
  if (!twofold.test(text)) return [text];
  const asOfCapitals = text.replaceAll("ς", "σ").replaceAll(micro, "\u00b5");
  const asInASentence = text.replaceAll(lastSigma, "ς").replaceAll(micro, "μ");
  return [text, asOfCapitals, asInASentence];
}

const sharpS = /[ßẞ]/g;
const twoS = /ss/gi;
/** What may be Turkish; in capitals any I may be either letter. */
const dotted = /^[iıİ]|[ıİğşçöü]/i;
const capitalI = /^\p{Lu}*I\p{Lu}*$/u;

function letterForms(text: string): string[] {
  const ofWord = isWord.test(text) ? [...sharp(text), ...turkish(text)] : [];
  return distinct([text, text.replaceAll(sharpS, "ss"), ...ofWord]);
}

// Of phrases and names each way would be a search of its own.
const isWord = /^\p{L}+$/u;

/** A word in which an SS is the capital of ß: each of them, and all. */
function sharp(word: string): string[] {
  const pairs = [...word.matchAll(twoS)].map(({ index }) => index);
  const each = pairs.map((at) => `${word.slice(0, at)}ß${word.slice(at + 2)}`);
  return pairs.length > 1 ? [...each, word.replaceAll(twoS, "ß")] : each;
}

/**
 * A word as Turkish has it in small letters, with a capital and in capitals; of an I that somebody
 * wrote without its dot, as other keyboards have it, both.
 */
function turkish(word: string): string[] {
  if (!dotted.test(word) && !capitalI.test(word)) return [];
  return [word, word.replaceAll("I", "i")].flatMap((each) => {
    const capitals = each.toLocaleUpperCase("tr");
    const small = each.toLocaleLowerCase("tr");
    return [small, `${capitals.slice(0, 1)}${small.slice(1)}`, capitals];
  });
}

/** Each once: the index writes texts in small letters, as most languages do. */
function distinct(texts: readonly string[]): string[] {
  const alike = Map.groupBy(texts, (text) => text.toLowerCase());
  return [...alike.values()].flatMap(([first]) => first ?? []);
}
