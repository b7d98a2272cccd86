/**
 * A text in lower case. Two letters with the same capital become one: Greek sigma, inside a word
 * and at its end, and mu, which keyboards also write as the micro sign. The same goes for ß, whose
 * capitals are SS, and for the Turkish i, which has a dot in capitals too, or in neither.
 */
export function foldCase(text: string): string {
  const small = text.toLowerCase().replaceAll("ς", "σ").replaceAll("\u00b5", "μ");
  return small.replaceAll("ß", "ss").replaceAll("i\u0307", "i").replaceAll("ı", "i");
}

/**
 * The spellings of a text that the index keeps apart: as it is, and with either letter throughout.
 */
export function indexForms(text: string): string[] {
  return [...new Set(letterForms(text).flatMap(greekForms))];
}

/**
 * The same for a text as windows hold it, cut by `cut`: letters that are cut off make no
 * difference.
 */
export function cutForms(text: string, cut: (text: string) => string): string[] {
  const forms = distinct(letterForms(text).map(cut));
  return [...new Set(forms.flatMap(greekForms))];
}

/** Letters of which the index makes two different words. */
const ambiguousGreek = /[σςΣ\u00b5μ\u039c]/;
const lastSigma = /(?<=\p{L}\p{M}*)[σΣ](?![\p{L}\p{M}\p{N}])/gu;
const micro = /(?<!\p{Script=Greek}\p{M}*)[\u00b5μ\u039c](?!\p{Script=Greek})/gu;

function greekForms(text: string): string[] {
  if (!ambiguousGreek.test(text)) return [text];
  const asOfCapitals = text.replaceAll("ς", "σ").replaceAll(micro, "\u00b5");
  const asInASentence = text.replaceAll(lastSigma, "ς").replaceAll(micro, "μ");
  return [text, asOfCapitals, asInASentence];
}

const sharpS = /[ßẞ]/g;
const twoS = /ss/gi;
/** Letters that may be Turkish; in capitals any I may be either letter. */
const maybeTurkish = /^[iıİ]|[ıİğşçöü]/i;
const capitalI = /^\p{Lu}*I\p{Lu}*$/u;

function letterForms(text: string): string[] {
  const ofWord = isWord.test(text) ? [...sharpSForms(text), ...turkishForms(text)] : [];
  return distinct([text, text.replaceAll(sharpS, "ss"), ...ofWord]);
}

// For phrases and names each spelling would be a search of its own.
const isWord = /^\p{L}+$/u;

/** A word in which an SS may be the capital of ß: with each of them replaced, and with all. */
function sharpSForms(word: string): string[] {
  const pairs = [...word.matchAll(twoS)].map(({ index }) => index);
  const each = pairs.map((at) => `${word.slice(0, at)}ß${word.slice(at + 2)}`);
  return pairs.length > 1 ? [...each, word.replaceAll(twoS, "ß")] : each;
}

/**
 * A word as Turkish has it in lower case, with a capital and in capitals. For an I that was written
 * without its dot, as other keyboards have it, both forms.
 */
function turkishForms(word: string): string[] {
  if (!maybeTurkish.test(word) && !capitalI.test(word)) return [];
  return [word, word.replaceAll("I", "i")].flatMap((each) => {
    const capitals = each.toLocaleUpperCase("tr");
    const small = each.toLocaleLowerCase("tr");
    return [small, `${capitals.slice(0, 1)}${small.slice(1)}`, capitals];
  });
}

/** Each spelling once: the index writes texts in lower case, as most languages do. */
function distinct(texts: readonly string[]): string[] {
  const alike = Map.groupBy(texts, (text) => text.toLowerCase());
  return [...alike.values()].flatMap(([first]) => first ?? []);
}
