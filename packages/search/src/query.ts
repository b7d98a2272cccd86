import { normalizeText } from "@pond/sessions/search";
import { QueryError } from "./errors.ts";
import { functionWordsOf } from "./function-words.ts";
import {
  camelPieces,
  isIdentifier,
  isJoined,
  isTypeName,
  isUnspaced,
  joinedPieces,
  needsPunctuation,
  wordRuns,
  wordsOf,
} from "./words.ts";

/** A word of a query; `weight` is how often it is put to the index. */
export type Term = { readonly word: string; readonly weight: number };

/** A query after parsing. */
export type ParsedQuery = {
  /** Words for the ranking; a match holds any of them. */
  readonly terms: readonly Term[];
  /**
   * Texts that put messages with them first: phrases and identifiers, then short runs of unspaced
   * script.
   */
  readonly literals: readonly string[];
  /** How many of the literals are short runs, which count little beside others. */
  readonly runs: number;
  /** The literal that is the whole query, if that looks like something a program printed. */
  readonly line?: string;
  /** Words and phrases that every match holds. */
  readonly required: readonly string[];
  /** Words and phrases that no match holds. */
  readonly excluded: readonly string[];
  /** True if words follow an excluded one, as they follow a flag: `tar -xzf site.tgz`. */
  readonly hasFlag: boolean;
  /** The query as asked, for a search of exactly these characters. */
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
/** The weight of a piece of an identifier, beside the identifier itself. */
const pieceWeight = 2;
export const functionWordWeight = 1;
/** A single word may rank very many messages alike. */
const minContentTerms = 2;

type Token = {
  readonly text: string;
  readonly sign: "" | "+" | "-";
  readonly isPhrase: boolean;
};

// Removed inside words too, as in a name that a compiler or grep prints: colours, and the sequence
// that clears the rest of a line (K).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
const colourSequences = /(?:\u001b\[|\u009b)[\d;:]*[mK]/g;
// Other terminal sequences (cursor, window names, links), control characters, and the end of a text
// in the index.
const controlSequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this is about
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\p{Cc}\uffff]+/gu;

/**
 * Reads a query: ranked words, "phrases", +required, -excluded. Any text with something visible in
 * it is valid. A quote without its partner is an ordinary character. So are the operators of a
 * pasted text: one of several lines, or with more operators than anybody would type.
 *
 * @throws {QueryError} if nothing is asked for.
 */
export function parseQuery(query: string): ParsedQuery {
  const tokens = tokensOf(normalizeQuery(query));
  if (tokens.length === 0) {
    throw new QueryError("it is empty; write the words to look for, such as: retry after timeout");
  }
  const signs = tokens.filter(({ sign }) => sign !== "").length;
  const isPasted = signs > limits.signs || /[\r\n]/.test(query.trim());
  const parsed = toParsedQuery(isPasted ? tokens.map(withoutSign) : withoutContradictions(tokens));
  const line =
    isPasted || hasBounds(parsed) ? undefined : printedLine(normalizeQuery(query), parsed);
  if (line === undefined) return parsed;
  return { ...parsed, literals: [line, ...parsed.literals], line };
}

const minLineWords = 3;
// Punctuation that ends a sentence, stands within a word or quotes it is prose; these characters
// are not.
const printedSign = /:\s|[;=<>{}|\\]/;
const letterOrDigit = /[\p{L}\p{N}]/u;

/** A line printed by a program, which says more as it stands than its words do. */
function printedLine(text: string, { terms }: ParsedQuery): string | undefined {
  const line = firstWordsOf(text);
  if (terms.length < minLineWords || isUnspaced(line)) return undefined;
  // The punctuation of a name says nothing about the text around it, except for a colon after it.
  // Nor does that of a phrase, which somebody wrote to find it by itself.
  const words = line.replaceAll(phrasePattern, "x").split(/\s+/);
  const bare = words.map((word) => {
    const isName = nameOf({ text: word, isPhrase: false }, words.length) !== undefined;
    return isName ? `x${word.endsWith(":") ? ":" : ""}` : word;
  });
  const inside = bare.join(" ");
  const at = inside.search(printedSign);
  return at !== -1 && letterOrDigit.test(inside.slice(at)) ? line : undefined;
}

const wholeWords = new RegExp(`^.{1,${limits.textChars}}\\S{0,${limits.lastWordChars}}`, "su");

/**
 * Reads a query as exactly the text that was typed. If nothing else meets its operators, or one
 * looks like a flag, they may be part of a command or of code that somebody pasted.
 */
export function parseVerbatim(query: string): ParsedQuery {
  return toParsedQuery([{ text: firstWordsOf(normalizeQuery(query)), sign: "+", isPhrase: true }]);
}

/**
 * The first words of a long text. A word is never cut, because the text does not hold the cut word;
 * a long word is never dropped, because any text may hold what is left.
 */
function firstWordsOf(text: string): string {
  return wholeWords.exec(text)?.[0] ?? text;
}

/** Brings a query into the form of the index, whatever the keyboard or the clipboard produced. */
export function normalizeQuery(query: string): string {
  const written = query
    .toWellFormed()
    .replaceAll(colourSequences, "")
    .replaceAll(controlSequences, " ");
  return normalizeText(written.trim());
}

function toParsedQuery(tokens: readonly Token[]): ParsedQuery {
  const wanted = tokens.filter(({ sign }) => sign !== "-");
  if (wanted.length === 0) {
    throw new QueryError("it only excludes; add a word to look for, such as: error -timeout");
  }
  const required = distinctTexts(tokens, "+");
  return {
    terms: termsOf(wanted.map((token) => token.text)),
    ...literalsOf(wanted),
    required,
    excluded: distinctTexts(tokens, "-"),
    hasFlag: tokens.some(({ sign }, at) => sign === "-" && tokens[at + 1]?.sign === ""),
    text: wanted
      .map((token) => token.text)
      .join(" ")
      .slice(0, limits.textChars)
      .toWellFormed(),
  };
}

/** True if not every text with a word of the query may be shown. */
export function hasBounds({
  required,
  excluded,
}: Pick<ParsedQuery, "required" | "excluded">): boolean {
  return required.length + excluded.length > 0;
}

/**
 * The words by which messages are found. Function words are in most messages, and ranking by them
 * takes half of the time of a question. So they are left out if there are others, and the found
 * texts tell which of them they hold.
 */
export function contentTerms(terms: readonly Term[]): readonly Term[] {
  const content = terms.filter(({ weight }) => weight > functionWordWeight);
  return content.length >= minContentTerms ? content : terms;
}

/**
 * True for a query that is one literal and nothing else: a name, a path, a phrase, a short word.
 */
export function isOneLiteral(query: ParsedQuery): boolean {
  const [literal, ...others] = query.literals;
  if (literal === undefined || others.length > 0 || hasBounds(query)) return false;
  // Prose has the punctuation of such a line too: if one message says it exactly so, others say it
  // in other words.
  if (literal === query.line) return false;
  // Punctuation alone is for a scan.
  if (query.terms.length === 0) return false;
  const words = new Set(wordsOf(literal.toLowerCase()));
  return query.terms.every(
    ({ word, weight }) => weight === pieceWeight || words.has(word.toLowerCase()),
  );
}

/**
 * True if the BM25 of a literal is that of the whole query, because each of its words has its full
 * weight.
 */
export function isScoredByLiteral({ terms, literals }: ParsedQuery): boolean {
  const words = literals.flatMap(wordsOf);
  // A message with the name as it stands is not scored by the name's form in another case.
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
    } else if (word !== undefined && !invisible.test(word)) {
      tokens.push(wordToken(word));
    }
  }
  return tokens;
}

// A zero-width space, a soft hyphen, or what turns a character into an emoji: inside quotes they
// are meant.
const invisible = /^\p{Default_Ignorable_Code_Point}+$/u;

/**
 * An operator needs a word after it: `-rf`, `--force`, `+1`, `-DNAME=1` and `->` are themselves.
 */
function wordToken(word: string): Token {
  const [, sign = "", text = ""] = (word.length <= limits.wordChars && signedWord.exec(word)) || [];
  const isSigned = sign === "+" || (sign === "-" && (text.length >= 3 || isUnspaced(text)));
  return isSigned
    ? { text, sign: signOf(sign), isPhrase: false }
    : { text: word, sign: "", isPhrase: false };
}

/**
 * An operator, a name or a word with the joiners it may contain, and the punctuation that a
 * sentence puts after it.
 */
const signedWord =
  /^([+-])(\p{L}(?:[\p{L}\p{M}\p{N}\u200c-\u200d\u2010-\u2011·・־״׳_.:/@'’+#-]|(?<=\p{Script=Hebrew}\p{M}*)"(?=\p{L}))*?)[,;:.!?()[\]·״]*$/u;

/** Nothing can both hold a word and not hold it: both operators are then text. */
function withoutContradictions(tokens: readonly Token[]): readonly Token[] {
  const low = (sign: Token["sign"]): Set<string> =>
    new Set(textsSigned(tokens, sign).map((text) => text.toLowerCase()));
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

function distinctTexts(tokens: readonly Token[], sign: Token["sign"]): string[] {
  return [...new Set(textsSigned(tokens, sign))];
}

function textsSigned(tokens: readonly Token[], sign: Token["sign"]): string[] {
  return tokens.filter((token) => token.sign === sign).map(({ text }) => text);
}

/** Distinct words with their weights; if there are too many, those that say most. */
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
  // As they are written: in lower case, the index would cut `İzmir` into two words.
  const terms = [...words].map(
    ([lower, word]): Term => ({
      word,
      weight: grammar.has(lower) ? functionWordWeight : fullWeight,
    }),
  );
  for (const piece of pieces) {
    if (!words.has(piece)) terms.push({ word: piece, weight: pieceWeight });
  }
  return terms.length <= limits.terms ? terms : mostDistinctive(terms);
}

function mostDistinctive(terms: readonly Term[]): Term[] {
  // Long words and those with digits are rare. Without the index, nothing better is known.
  const value = ({ word, weight }: Term): number =>
    weight * 8 + Math.min(word.length, 16) + (/\d/.test(word) ? 4 : 0);
  return terms.toSorted((left, right) => value(right) - value(left)).slice(0, limits.terms);
}

const maxTokensForSignNames = 2;

function literalsOf(tokens: readonly Token[]): Pick<ParsedQuery, "literals" | "runs"> {
  const names = new Set<string>();
  const runs: string[] = [];
  for (const token of tokens) {
    const name = nameOf(token, tokens.length);
    if (name === undefined) runs.push(...shortUnspacedRuns(token.text));
    else names.add(name);
  }
  // In Korean each word of a sentence is a run: they would leave no room for a name.
  const literals = [...new Set([...names, ...runs])].slice(0, limits.literals);
  return { literals, runs: literals.filter((literal) => !names.has(literal)).length };
}

const punctuation = "[()\"'`<>[\\]{},.;:!?*]";
// Only from the beginning of the last run: trying each place of a long one would take quadratic
// time.
const punctuationAround = new RegExp(`^[("'\`<[{*$]+|(?<!${punctuation})${punctuation}+$`, "gu");

/** Of `@Component`, `#secret`, `:symbol`, `/command`: others write the name without it. */
const signsOfNames = /^[@.&#:/]+(?=[\p{L}_])/u;

const quotedWord = /^[("[]*([`'‘])[^`'‘’]+[`'’][\])".,;:!?]*$/u;

/** A phrase, or a name without the punctuation around it; undefined for other words. */
function nameOf({ text, isPhrase }: Omit<Token, "sign">, tokens: number): string | undefined {
  if (isPhrase) return text;
  const bare = text.replaceAll(punctuationAround, "");
  // Alone or in quotes, a word is a name however it looks in a sentence.
  const isApart = tokens === 1 || quotedWord.test(text);
  // Other people write a call with the same name, but with different arguments.
  const [callee = ""] = bare.replace(signsOfNames, "").split("(");
  const name = [bare, callee].find((each) => {
    const pieces = isApart || each !== bare ? 2 : 3;
    return isIdentifier(each) || isTypeName(each, { pieces });
  });
  if (name === undefined && isApart && isJoined(bare)) return bare;
  // In a long sentence it would cost a look into every text.
  return name ?? (tokens <= maxTokensForSignNames && needsPunctuation(bare) ? bare : undefined);
}

/**
 * Short runs, because the dictionary may cut a short word differently within a sentence, or not
 * know it.
 */
function shortUnspacedRuns(text: string): string[] {
  return wordRuns(text).filter(
    (run) => isUnspaced(run) && run.length <= limits.unspacedLiteralChars,
  );
}
