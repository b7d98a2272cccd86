import { inOneForm } from "@pond/sessions/search";
import { QueryError } from "./errors.ts";
import { functionWordsOf } from "./function-words.ts";
import {
  camelPieces,
  isIdentifier,
  isJoined,
  isTypeName,
  isUnspaced,
  joinedPieces,
  needsSigns,
  wordRuns,
  wordsOf,
} from "./words.ts";

/** A word of a query; `weight` is how often it is put to the index. */
export type Term = { readonly word: string; readonly weight: number };

/** A query, understood. */
export type ParsedQuery = {
  /** Ranked by, any of them. */
  readonly terms: readonly Term[];
  /** Texts that put what holds them first: phrases and identifiers, then short runs of unspaced script. */
  readonly literals: readonly string[];
  /** How many of the literals are short runs: beside others they count little. */
  readonly runs: number;
  /** The one of the literals that is all of the query, where that looks like what a program printed. */
  readonly line?: string;
  /** Words and phrases every match holds. */
  readonly required: readonly string[];
  /** Words and phrases no match holds. */
  readonly excluded: readonly string[];
  /** What was asked, for a search that looks for the very characters. */
  readonly text: string;
};

const limits = {
  terms: 48,
  literals: 4,
  signs: 128,
  textChars: 200,
  wordChars: 256,
  lastWordChars: 2_000,
  unspacedLiteralChars: 8,
} as const;

export const fullWeight = 4;
/** Of a piece of an identifier, beside the identifier itself. */
const pieceWeight = 2;
export const functionWordWeight = 1;
/** By a single word very many may be found alike. */
const enoughTelling = 2;

type Token = {
  readonly text: string;
  readonly sign: "" | "+" | "-";
  readonly isPhrase: boolean;
};

// Within words too, as of a name that a compiler or grep prints: with the end of the line in it (K).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const colours = /(?:\u001b\[|\u009b)[\d;:]*[mK]/g;
// What else moves a terminal (CSI), names its window or links (OSC); controls; the end of a text in the index.
const notWritten =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\p{Cc}\uffff]+/gu;

/**
 * Reads a query: ranked words, "phrases", +required, -excluded. Any text is one in which there is
 * something to see; a quote without its partner is a character like others, and so are the signs of a
 * pasted text: of several lines, or of more signs than anybody would type.
 *
 * @throws {QueryError} where nothing is asked for.
 */
export function parseQuery(query: string): ParsedQuery {
  const tokens = tokensOf(typedText(query));
  if (tokens.length === 0) {
    throw new QueryError("it is empty; write the words to look for, such as: retry after timeout");
  }
  const signs = tokens.filter(({ sign }) => sign !== "").length;
  const isPasted = signs > limits.signs || /[\r\n]/.test(query.trim());
  const parsed = understood(isPasted ? tokens.map(withoutSign) : unopposed(tokens));
  const line = isPasted || isBound(parsed) ? undefined : printedLine(typedText(query), parsed);
  if (line === undefined) return parsed;
  return { ...parsed, literals: [line, ...parsed.literals], line };
}

const fewestWords = 3;
// What ends a sentence, is within a word or quotes some of them is prose.
const printedSign = /:\s|[;=<>{}|\\]/;
const inWord = /[\p{L}\p{N}]/u;

/** A message of a program, which says more as it stands than its words do. */
function printedLine(text: string, { terms }: ParsedQuery): string | undefined {
  const line = beginningOf(text);
  if (terms.length < fewestWords || isUnspaced(line)) return undefined;
  // The signs of a name say nothing of what is around it, but for the colon behind it, nor do those of
  // a phrase, which somebody wrote to find it by itself.
  const words = line.replaceAll(phrasePattern, "x").split(/\s+/);
  const bare = words.map((word) => {
    const isName = nameOf({ text: word, isPhrase: false }, words.length) !== undefined;
    return isName ? `x${word.endsWith(":") ? ":" : ""}` : word;
  });
  const inside = bare.join(" ");
  const at = inside.search(printedSign);
  return at !== -1 && inWord.test(inside.slice(at)) ? line : undefined;
}

const wholeWords = new RegExp(`^.{1,${limits.textChars}}\\S{0,${limits.lastWordChars}}`, "su");

/**
 * What holds a query just as it was typed: where nothing else meets its signs, they may be part of a
 * command or of code that somebody pasted.
 */
export function asTyped(query: string): ParsedQuery {
  return understood([{ text: beginningOf(typedText(query)), sign: "+", isPhrase: true }]);
}

/**
 * Of a long text the first words: a word that is cut would be none of the text's, and what is left
 * without a long one may be in any text.
 */
function beginningOf(text: string): string {
  return wholeWords.exec(text)?.[0] ?? text;
}

/** As the index holds it, too, however the keyboard or the clipboard wrote it. */
export function typedText(query: string): string {
  const written = query.toWellFormed().replaceAll(colours, "").replaceAll(notWritten, " ");
  return inOneForm(written.trim());
}

function understood(tokens: readonly Token[]): ParsedQuery {
  const wanted = tokens.filter(({ sign }) => sign !== "-");
  if (wanted.length === 0) {
    throw new QueryError("it only excludes; add a word to look for, such as: error -timeout");
  }
  const required = textsOf(tokens, "+");
  return {
    terms: termsOf(wanted.map((token) => token.text)),
    ...literalsOf(wanted),
    required,
    excluded: textsOf(tokens, "-"),
    text: wanted
      .map((token) => token.text)
      .join(" ")
      .slice(0, limits.textChars)
      .toWellFormed(),
  };
}

/** True where not every text that holds a word of the query may be shown. */
export function isBound({
  required,
  excluded,
}: Pick<ParsedQuery, "required" | "excluded">): boolean {
  return required.length + excluded.length > 0;
}

/**
 * The words that messages are found by. Function words are in most messages, and to rank by them
 * takes half of the time of a question: beside others they are left out, and the texts of what was
 * found say which of them it holds.
 */
export function tellingTerms(terms: readonly Term[]): readonly Term[] {
  const telling = terms.filter(({ weight }) => weight > functionWordWeight);
  return telling.length >= enoughTelling ? telling : terms;
}

/** True for a query that is one literal and nothing else: a name, a path, a phrase, a short word. */
export function isOneLiteral(query: ParsedQuery): boolean {
  const [literal, ...others] = query.literals;
  if (literal === undefined || others.length > 0 || isBound(query)) return false;
  // Prose has the signs of a line too: where one says it just so, others say it in other words.
  if (literal === query.line) return false;
  // Signs alone are for a scan.
  if (query.terms.length === 0) return false;
  const words = new Set(wordsOf(literal.toLowerCase()));
  return query.terms.every(
    ({ word, weight }) => weight === pieceWeight || words.has(word.toLowerCase()),
  );
}

/** True where the BM25 of a literal is that of the whole query: each of its words weighs in full. */
export function isScoredByLiteral({ terms, literals }: ParsedQuery): boolean {
  const words = literals.flatMap(wordsOf);
  // What holds a name as it stands is not scored by what the name is in another case.
  const joined = new Set(literals.flatMap(joinedPieces));
  const own = terms.filter(({ word }) => !joined.has(word));
  return words.length === own.length && own.every(({ weight }) => weight === fullWeight);
}

const phrasePattern = /"([^"]*)"|“([^“”]*)”|«([^«»]*)»|「([^「」]*)」/gu;
const tokenPattern = new RegExp(`([+-]?)(?:${phrasePattern.source})|(\\S+)`, "gu");

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(tokenPattern)) {
    const [, sign = "", straight, curly, angled, corner, word] = match;
    const phrase = straight ?? curly ?? angled ?? corner;
    if (phrase !== undefined) {
      const inner = phrase.trim();
      if (inner !== "") tokens.push({ text: inner, sign: signOf(sign), isPhrase: true });
    } else if (word !== undefined && !unseen.test(word)) {
      tokens.push(wordToken(word));
    }
  }
  return tokens;
}

// A zero-width space, a soft hyphen, what makes an emoji of a sign: in quotes somebody means it.
const unseen = /^\p{Default_Ignorable_Code_Point}+$/u;

/** A sign needs a word behind it: `-rf`, `--force`, `+1`, `-DNAME=1` and `->` are themselves. */
function wordToken(word: string): Token {
  const [, sign = "", text = ""] = (word.length <= limits.wordChars && signed.exec(word)) || [];
  const isSigned = sign === "+" || (sign === "-" && (text.length >= 3 || isUnspaced(text)));
  return isSigned
    ? { text, sign: signOf(sign), isPhrase: false }
    : { text: word, sign: "", isPhrase: false };
}

/** A sign, a name or a word, which may hold what joins its parts, and what a sentence puts behind it. */
const signed =
  /^([+-])(\p{L}(?:[\p{L}\p{M}\p{N}\u200c-\u200d\u2010-\u2011·・־״׳_.:/@'’+#-]|(?<=\p{Script=Hebrew}\p{M}*)"(?=\p{L}))*?)[,;:.!?()[\]·״]*$/u;

/** Nothing can hold a word and not hold it: both signs are text then. */
function unopposed(tokens: readonly Token[]): readonly Token[] {
  const low = (sign: Token["sign"]): Set<string> =>
    new Set(textsIn(tokens, sign).map((text) => text.toLowerCase()));
  const [required, excluded] = [low("+"), low("-")];
  return tokens.map((token) => {
    const text = token.text.toLowerCase();
    return required.has(text) && excluded.has(text) ? withoutSign(token) : token;
  });
}

function withoutSign(token: Token): Token {
  return { ...token, sign: "" };
}

function signOf(sign: string): Token["sign"] {
  return sign === "+" || sign === "-" ? sign : "";
}

function textsOf(tokens: readonly Token[], sign: Token["sign"]): string[] {
  return [...new Set(textsIn(tokens, sign))];
}

function textsIn(tokens: readonly Token[], sign: Token["sign"]): string[] {
  return tokens.filter((token) => token.sign === sign).map(({ text }) => text);
}

/** Distinct words with their weights; of too many, those that say most. */
function termsOf(texts: readonly string[]): Term[] {
  const words = new Map<string, string>();
  const pieces = new Set<string>();
  for (const text of texts) {
    for (const joined of joinedPieces(text)) pieces.add(joined);
    for (const word of wordsOf(text)) {
      if (word.length > limits.wordChars) continue;
      const lower = word.toLowerCase();
      if (!words.has(lower)) words.set(lower, word);
      for (const piece of camelPieces(word)) pieces.add(piece.toLowerCase());
    }
  }
  const grammar = functionWordsOf([...words.keys()]);
  // As they are written: in lower case the index would cut `İzmir` into two words.
  const terms = [...words].map(
    ([lower, word]): Term => ({
      word,
      weight: grammar.has(lower) ? functionWordWeight : fullWeight,
    }),
  );
  for (const piece of pieces) {
    if (!words.has(piece)) terms.push({ word: piece, weight: pieceWeight });
  }
  return terms.length <= limits.terms ? terms : mostTelling(terms);
}

function mostTelling(terms: readonly Term[]): Term[] {
  // Long words and those with digits are rare ones; without the index nothing better is known.
  const value = ({ word, weight }: Term): number =>
    weight * 8 + Math.min(word.length, 16) + (/\d/.test(word) ? 4 : 0);
  return terms.toSorted((left, right) => value(right) - value(left)).slice(0, limits.terms);
}

const fewTokens = 2;

function literalsOf(tokens: readonly Token[]): Pick<ParsedQuery, "literals" | "runs"> {
  const names = new Set<string>();
  const runs: string[] = [];
  for (const token of tokens) {
    const name = nameOf(token, tokens.length);
    if (name === undefined) runs.push(...shortUnspacedRuns(token.text));
    else names.add(name);
  }
  // In Korean each word of a sentence is a run: they would leave no place for a name.
  const literals = [...new Set([...names, ...runs])].slice(0, limits.literals);
  return { literals, runs: literals.filter((literal) => !names.has(literal)).length };
}

const around = "[()\"'`<>[\\]{},.;:!?*]";
// From the beginning of the last run alone: to try each place of a long one takes its square.
const aroundNames = new RegExp(`^[("'\`<[{*$]+|(?<!${around})${around}+$`, "gu");

const quoted = /^[("[]*([`'‘])[^`'‘’]+[`'’][\])".,;:!?]*$/u;

/** A phrase, or a name without what a sentence puts around it; undefined of other words. */
function nameOf({ text, isPhrase }: Omit<Token, "sign">, tokens: number): string | undefined {
  if (isPhrase) return text;
  const bare = text.replaceAll(aroundNames, "");
  // By itself, or where somebody quoted it, a name is one whatever it looks like in a sentence.
  const isApart = tokens === 1 || quoted.test(text);
  // Of a call the name is what others write alike.
  const [callee = ""] = bare.replace(/^[@.&]+(?=\p{Lu})/u, "").split("(");
  const pieces = isApart ? 2 : 3;
  const name = [bare, callee].find((each) => isIdentifier(each) || isTypeName(each, { pieces }));
  if (name === undefined && isApart && isJoined(bare)) return bare;
  // In a long sentence it would cost a look into every text.
  return name ?? (tokens <= fewTokens && needsSigns(bare) ? bare : undefined);
}

/** The dictionary may cut a short word otherwise within a sentence, or not know it. */
function shortUnspacedRuns(text: string): string[] {
  return wordRuns(text).filter(
    (run) => isUnspaced(run) && run.length <= limits.unspacedLiteralChars,
  );
}
