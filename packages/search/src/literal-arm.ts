import type { SessionStore } from "@pond/sessions";
import { and, type Filter, oneOf } from "@pond/substrate";
import { type Hits, sessionsWanted } from "./collect-hits.ts";
import type { MessageHit, WindowHit } from "./full-text.ts";
import { indexedLiteral, type LiteralHits, withScannedHits } from "./literal.ts";
import { exactness, isWholeMatch, type LiteralHit, wordsOnlyShare } from "./literal-hits.ts";
import type { FoundMessage } from "./message.ts";
import type { ParsedQuery } from "./query.ts";
import { weights } from "./weights.ts";
import { isHangul } from "./words.ts";

const maxLiteralsOutsideSentence = 2;
const noHits = { hits: [], isCut: false };

/** What the arms for words found. */
type WordHits = {
  readonly messages: readonly MessageHit[];
  readonly windows: readonly WindowHit[];
};

/**
 * For each literal of the query, the messages that hold it. The index finds its words in a row, and
 * the text decides. What the index cannot serve - punctuation, part of a word, a short word of a
 * script without spaces - is searched character by character. In a Korean sentence that would be
 * every word, and common ones would outweigh a rare one: for words that the index knows, BM25
 * decides.
 */
export async function findLiterals(
  sessions: SessionStore,
  query: ParsedQuery,
  where: Filter | undefined,
): Promise<LiteralHits[]> {
  const isSentence = query.literals.length > maxLiteralsOutsideSentence;
  const indexed = await Promise.all(
    query.literals.map((literal) => indexedLiteral(sessions, query, literal, where)),
  );
  const searched = indexed.filter(
    ({ literal, hits }) => !(isSentence && hits.length > 0 && isHangul(literal)),
  );
  const found = await withScannedHits(sessions, query, searched);
  return indexed.map((each) => found[searched.indexOf(each)] ?? noHits);
}

/**
 * The messages that hold the query's literals, those with most of them first. If more messages hold
 * a literal than were looked at, it is also searched in what the other literals and the words
 * found, and those decide.
 *
 * @param found - The result of {@link findLiterals}.
 */
export async function literalArm(
  sessions: SessionStore,
  query: ParsedQuery,
  where: Filter | undefined,
  found: readonly Hits<LiteralHit>[],
  byWords: WordHits,
): Promise<Hits<LiteralHit>> {
  const all = await Promise.all(
    query.literals.map(async (literal, at) => {
      const own = found[at]?.hits ?? [];
      if (!found[at]?.isCut) return own;
      const others = found.toSpliced(at, 1).map(({ hits }) => hits);
      const held = [...own, ...matchesAmong([byWords.messages, ...others].flat(), literal)];
      const incompleteIds = bestSessions(byWords, held.filter(isWholeMatch));
      if (incompleteIds.length === 0) return held;
      const ofIncomplete = oneOf("session_id", incompleteIds);
      const within = where ? and(where, ofIncomplete) : ofIncomplete;
      return [...held, ...(await indexedLiteral(sessions, query, literal, within)).hits];
    }),
  );
  const byRow = new Map<bigint, LiteralHit>();
  for (const [at, weight] of literalWeights(query, found).entries()) {
    // A message found in two ways counts once.
    for (const [row, hit] of new Map(all[at]?.map((each) => [each.row, each]))) {
      byRow.set(row, { ...hit, share: (byRow.get(row)?.share ?? 0) + hit.share * weight });
    }
  }
  const hits = [...byRow.values()].toSorted((left, right) => right.share - left.share);
  return { hits, isCut: found.some(({ isCut }) => isCut) };
}

/**
 * The weight of each literal; all together 1. A name that no message holds, or that is everywhere,
 * tells no more than a short run: otherwise messages with a piece of the one, or only the other,
 * would fill the page. A line that no message holds tells nothing.
 */
function literalWeights(
  { literals, runs, line }: ParsedQuery,
  found: readonly Hits<LiteralHit>[],
): number[] {
  const names = literals.length - runs;
  const isName = (at: number): boolean => at < names;
  const hasDistinctiveName = found.some((each, at) => isName(at) && isDistinctive(each));
  const each = literals.map((literal, at): number => {
    if (literal === line && found[at]?.hits.length === 0) return 0;
    return isName(at) || !hasDistinctiveName ? 1 : weights.runBesideName;
  });
  const total = Math.max(
    each.reduce((sum, weight) => sum + weight, 0),
    weights.runBesideName,
  );
  return each.map((weight) => weight / total);
}

/**
 * True if some messages hold a literal. False if there are more of them than are looked at and a
 * page of sessions holds it whole.
 */
function isDistinctive({ hits, isCut }: Hits<LiteralHit>): boolean {
  const whole = hits.filter(isWholeMatch).map(({ sessionId }) => sessionId);
  const isEverywhere = isCut && new Set(whole).size >= sessionsWanted;
  return hits.some(holdsLiteral) && !isEverywhere;
}

/** The messages that hold a literal, out of those whose texts are at hand. */
function matchesAmong(messages: readonly FoundMessage[], literal: string): LiteralHit[] {
  return messages
    .map((message) => ({ ...message, share: exactness(message.text, literal) }))
    .filter(holdsLiteral);
}

/** False if a message only has the words of the literal, with something else between them. */
function holdsLiteral({ share }: LiteralHit): boolean {
  return share > wordsOnlyShare;
}

/** The sessions that the arms for words rank best, without those that hold the literal. */
function bestSessions({ messages, windows }: WordHits, held: readonly LiteralHit[]): string[] {
  const byRank = messages.toSorted((left, right) => right.rank - left.rank);
  const best = [byRank, windows].flatMap((hits) =>
    [...new Set(hits.map(({ sessionId }) => sessionId))].slice(0, sessionsWanted),
  );
  const holding = new Set(held.map(({ sessionId }) => sessionId));
  return [...new Set(best)].filter((id) => !holding.has(id));
}
