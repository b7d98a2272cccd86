import type { SessionStore } from "@pond/sessions";
import { normalizeText } from "@pond/sessions/search";
import { type Filter, type FullTextQuery, rowId, type Table } from "@pond/substrate";
import { foldCase, indexForms } from "./case-folding.ts";
import { stemOf } from "./coverage.ts";
import { functionWordsOf } from "./function-words.ts";
import { textOf } from "./message.ts";
import { fullWeight, type ParsedQuery } from "./query.ts";
import type { Segment } from "./segments.ts";
import { isUnspaced, wordCharacter, wordRuns } from "./words.ts";

// Of a shorter word, too many others are similar.
const minWordLetters = 4;
// Nobody types a longer one.
const maxWordLetters = 32;
// Of a longer word, others that differ in two letters are similar, too.
const minLettersForTwoEdits = 8;
// A query with more words that nobody said is in another language, or not in words at all.
const maxUnknownWords = 3;
// Each is looked up.
const maxMissingWords = 8;
const maxQueryChars = 200;
const sampleRows = 20;
// If other words found something, a word that few messages hold is mostly another word, not this
// one spelled right.
const minTimesBesideHits = 3;
// Looking through more of a pasted log takes longer than the search.
const maxSampleChars = 16 * 1024;

type Scope = { readonly where: Filter | undefined; readonly found: readonly Segment[] };

/**
 * The query with other words in place of those that no message holds: each a similar word that is
 * held by messages in scope. Undefined if there is none. One letter may differ, or two neighbours
 * change places; of long words, two letters.
 *
 * @param raw - The query as asked.
 */
export async function didYouMean(
  { store }: SessionStore,
  raw: string,
  query: ParsedQuery,
  { where, found }: Scope,
): Promise<string | undefined> {
  if (raw.length > maxQueryChars) return undefined;
  const messages = store.table("messages");
  const missing = missingWords(query, found).slice(0, maxMissingWords);
  const areUnknown = await Promise.all(missing.map((word) => isUnknown(messages, word)));
  const unknown = missing.filter((_, at) => areUnknown[at]);
  if (unknown.length > maxUnknownWords) return undefined;
  const similar = await Promise.all(unknown.map((word) => similarWord(messages, word, where)));
  const isFound = found.some(({ ranked }) => ranked.length > 0);
  // Windows, which hold words cut, have found a word with the same beginning already.
  const isWorth = (word: string, { other, times }: HeldWord): boolean =>
    !isFound || (times >= minTimesBesideHits && stemOf(other) !== stemOf(word));
  const others = new Map(
    unknown.flatMap((word, at): [string, string][] => {
      const held = similar[at];
      return held && isWorth(word, held) ? [[foldCase(word), held.other]] : [];
    }),
  );
  if (others.size === 0) return undefined;
  return raw.replaceAll(wordRun, (run) => others.get(foldCase(normalizeText(run))) ?? run);
}

const wordRun = /[\p{L}\p{M}\p{N}]+/gu;
const onlyLetters = /^[\p{L}\p{M}]+$/u;

/** The telling words of a query that no found message holds, however they end there. */
function missingWords({ terms }: ParsedQuery, found: readonly Segment[]): string[] {
  const texts = found.flatMap(({ found: { messages, literals } }) =>
    [...messages, ...literals].map(({ text }) => foldCase(text.slice(0, maxSampleChars))),
  );
  return terms
    .filter(({ word, weight }) => weight === fullWeight && isCorrectable(word))
    .map(({ word }) => ({ word, stem: stemOf(word) }))
    .filter(({ stem }) => !texts.some((text) => text.includes(stem)))
    .map(({ word }) => word);
}

function isCorrectable(word: string): boolean {
  const { length } = foldCase(word);
  const isOfLength = length >= minWordLetters && length <= maxWordLetters;
  return isOfLength && onlyLetters.test(word) && !isUnspaced(word);
}

async function isUnknown(messages: Table, word: string): Promise<boolean> {
  const query = { terms: indexForms(word).join(" ") };
  const rows = await messages.fullText({
    ...{ column: "search_text", query, columns: [rowId], limit: 1 },
  });
  return rows.length === 0;
}

/** A word, and how many messages of a sample hold it. */
type HeldWord = { readonly other: string; readonly times: number };

/**
 * The word most like this one in messages in scope, of equally similar ones the most frequent; else
 * the two words that it is made of.
 */
async function similarWord(
  messages: Table,
  word: string,
  where: Filter | undefined,
): Promise<HeldWord | undefined> {
  const lower = foldCase(word);
  const maxEdits = lower.length < minLettersForTwoEdits ? 1 : 2;
  const rows = await messages.fullText({
    ...{ column: "search_text", query: similarTo(lower, maxEdits), where },
    ...{ columns: ["search_text"], limit: sampleRows },
  });
  const frequency = new Map<string, number>();
  for (const row of rows) {
    for (const other of new Set(wordRuns(textOf(row).slice(0, maxSampleChars)))) {
      if (!isCorrectable(other)) continue;
      frequency.set(other, (frequency.get(other) ?? 0) + 1);
    }
  }
  const [best] = [...frequency]
    .map(([other, times]) => ({
      other,
      times,
      edits: editsBetween(lower, foldCase(other), maxEdits),
    }))
    .filter(({ edits }) => edits > 0 && edits <= maxEdits)
    .sort((left, right) => left.edits - right.edits || right.times - left.times);
  return best ?? twoWords(messages, word, where);
}

/**
 * The two words of which a word is made, as messages in scope join them most often: `Next.js` for
 * `nextjs`.
 */
async function twoWords(
  messages: Table,
  word: string,
  where: Filter | undefined,
): Promise<HeldWord | undefined> {
  const letters = [...foldCase(word)];
  const splits = letters
    .slice(minPieceLetters, 1 - minPieceLetters)
    .map((_, at) => minPieceLetters + at)
    .map((at) => [letters.slice(0, at).join(""), letters.slice(at).join("")])
    .filter((pieces) => functionWordsOf(pieces).size === 0);
  if (splits.length === 0) return undefined;
  const rows = await messages.fullText({
    ...{ column: "search_text", where, columns: ["search_text"], limit: sampleRows },
    query: { should: splits.map((pieces) => ({ phrase: pieces.join(" ") })) },
  });
  const joined = new RegExp(
    `(?<!${wordCharacter})(?:${splits.map((pieces) => pieces.join(joiner)).join("|")})(?!${wordCharacter})`,
    "giv",
  );
  const frequency = new Map<string, number>();
  for (const row of rows) {
    for (const other of new Set(textOf(row).slice(0, maxSampleChars).match(joined))) {
      frequency.set(other, (frequency.get(other) ?? 0) + 1);
    }
  }
  const [best] = [...frequency].sort(([, left], [, right]) => right - left);
  return best && { other: best[0], times: best[1] };
}

// As in `js`.
const minPieceLetters = 2;
/** What stands between the words of one name. */
const joiner = "[ ._\\-\\/]";

/** The index knows no exchange of two letters as one edit: those of a short word are listed. */
function similarTo(word: string, maxEdits: 1 | 2): FullTextQuery {
  const similar = { terms: word, fuzziness: maxEdits };
  if (maxEdits === 2) return similar;
  const letters = [...word];
  const exchanged = letters.slice(1).map((letter, at) =>
    letters
      .with(at, letter)
      .with(at + 1, letters[at] ?? "")
      .join(""),
  );
  return { should: [similar, { terms: exchanged.join(" ") }] };
}

/**
 * How many letters are added, left out, replaced or exchanged with their neighbour between two
 * words (optimal string alignment); more than `most` is not counted exactly.
 */
export function editsBetween(left: string, right: string, most: number): number {
  const [from, to] = [[...left], [...right]];
  if (Math.abs(from.length - to.length) > most) return most + 1;
  let [before, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (const [at, letter] of from.entries()) {
    const next = [at + 1];
    for (const [other, wanted] of to.entries()) {
      const isSame = letter === wanted;
      const isExchanged = letter === to[other - 1] && from[at - 1] === wanted;
      next.push(
        Math.min(
          (last[other + 1] ?? 0) + 1,
          (next[other] ?? 0) + 1,
          (last[other] ?? 0) + (isSame ? 0 : 1),
          isExchanged ? (before[other - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return last[to.length] ?? 0;
}
