import type { SessionStore } from "@pond/sessions";
import { type Found, sessionIdsOf, titledSessionsOf } from "./candidates.ts";
import { type CheckedHits, checkWindows } from "./check-windows.ts";
import { excludingSessions } from "./collect-hits.ts";
import { CopyFilter } from "./copies.ts";
import type { Scope } from "./filter.ts";
import { type Arm, fuse, type RankedRoot } from "./fuse.ts";
import {
  isEmpty,
  type LexicalHits,
  type LexicalSearch,
  searchCharacters,
  searchLiteral,
  searchWindows,
  searchWords,
} from "./lexical.ts";
import type { Page } from "./page.ts";
import { hasBounds, isOneLiteral, type ParsedQuery } from "./query.ts";
import { loadRoots, type Roots } from "./roots.ts";
import { withMinScore } from "./scores.ts";
import type { SessionCache } from "./session-cache.ts";
import { subAgentsOf } from "./sub-agents.ts";
import type { VectorHit, VectorResult } from "./vector.ts";
import { weights } from "./weights.ts";

type RoundHits = CheckedHits & { readonly words: LexicalHits };

/** A segment of the ranking: what the arms found when they were asked once. */
export type Segment = {
  readonly arms: readonly Arm[];
  /** Turns an arm's weighted vote into its share of a session's score. */
  readonly scale: number;
  /** Best first; scores are 0 to 1. */
  readonly ranked: readonly RankedRoot[];
  readonly found: Found;
  /** The sessions in which something was found, by root. */
  readonly foundIn: ReadonlyMap<string, readonly string[]>;
  readonly roots: Roots;
  /** True if words found nothing, and the query was searched as it stands. */
  readonly isByCharacters: boolean;
  /** True if the found sessions may hold more messages with words of the query than were found. */
  readonly hasMore: boolean;
};

export type SegmentOptions = Pick<Page, "minScore" | "shown"> & {
  readonly cache: Promise<SessionCache>;
  /** The future result of the vector arm. */
  readonly vectorResult: Promise<VectorResult>;
};

// Each segment asks for sessions that none before has seen; this is where the longest paging ends.
const maxSegments = 100;
// If the best windows have nothing in bounds, the others mostly have nothing either.
const maxEmptyRounds = 3;

/**
 * Yields the ranking from the best down: first what the arms find, then what they find without
 * those sessions and all sessions below the same roots, and so on to the end. How far an answer
 * reads on does not change what came before, so pages of any size cut the same list. The vector arm
 * takes part only in the first segment: there is always a next nearest message, soon near to
 * nothing.
 */
export async function* segments(
  sessions: SessionStore,
  query: ParsedQuery,
  scope: Scope,
  { minScore, shown, vectorResult, cache: cachePromise }: SegmentOptions,
): AsyncGenerator<Segment> {
  // The bounds are on messages: no message of a window may meet them.
  const mustCheckWindows = scope.hasMessageFilters || hasBounds(query) || minScore > 0;
  const copyFilter = new CopyFilter(sessions);
  const seen = { messages: new Set<string>(), windows: new Set<string>() };
  // Words that are said often may score more than the literal: messages that hold it need not be
  // enough.
  let ask: LexicalSearch = isOneLiteral(query) && minScore === 0 ? searchLiteral : searchWords;
  let ceiling = 1;
  let emptyRounds = 0;
  for (let round = 0; round < maxSegments; round += 1) {
    const armScope = {
      messages: excludingSessions(seen.messages, scope.messages),
      windows: excludingSessions(seen.windows, scope.windows),
      mustCheckWindows,
    };
    const answerOf = async (search: LexicalSearch): Promise<RoundHits> => {
      const words = await search(sessions, query, armScope);
      const vectors = round === 0 ? (await vectorResult).hits : [];
      const hits = await withMinScore(sessions, query, foundOf(words, vectors), minScore);
      return {
        words,
        ...(await checkWindows(sessions, query, hits, { mustCheckWindows, minScore, scope })),
      };
    };
    let [answer, cache] = await Promise.all([answerOf(ask), cachePromise]);
    if (round === 0 && isEmpty(answer.found) && minScore === 0) {
      // Words found nothing. It may be a part of a word, or a phrase of punctuation.
      const exact = answer.words.isScanned ? answer : await answerOf(searchCharacters);
      if (!isEmpty(exact.found) || !answer.words.windows.isCut) {
        ask = searchCharacters;
        answer = exact;
      }
    }
    const { words, found, listed, examined } = answer;
    const foundIds = sessionIdsOf(found);
    const isByCharacters = ask === searchCharacters;
    // Messages with a name as it stands are shown; those with its pieces are not worth another
    // search.
    const hasMore = words.messages.isCut && ask === searchWords;
    const roots = await loadRoots(sessions, cache, foundIds, shown);
    // One word, and all messages that hold it are known: windows add only its other forms.
    const areFormsLast = query.terms.length === 1 && !words.messages.isCut;
    const ranking = rank(found, roots, { listed, ceiling, areFormsLast });
    const ranked = await copyFilter.removeCopies(ranking, foundIds);
    yield { ...ranking, ranked, isByCharacters, hasMore };
    const { messages, windows, literals } = words;
    // For a query that is one name, windows find nothing that bounds on messages let pass.
    const areWindowsDone = mustCheckWindows && (minScore > 0 || ask === searchLiteral);
    const hasMoreWindows = windows.isCut || foundIds.size > examined.size;
    const isCut = messages.isCut || literals.isCut || (hasMoreWindows && !areWindowsDone);
    if (listed.size === 0) emptyRounds += 1;
    if (!isCut || examined.size === 0 || emptyRounds > maxEmptyRounds) return;
    const below = await subAgentsOf(
      sessions,
      cache,
      ranking.ranked.map(({ rootId }) => rootId),
    );
    for (const id of [...listed, ...below]) seen.messages.add(id);
    for (const id of [...examined, ...below]) seen.windows.add(id);
    if (ask === searchLiteral && !messages.isCut && !literals.isCut) ask = searchWindows;
    ceiling = ranking.ranked.at(-1)?.score ?? ceiling;
  }
}

function foundOf(
  { messages, windows, literals }: LexicalHits,
  vectors: readonly VectorHit[],
): Found {
  return { messages: messages.hits, windows: windows.hits, literals: literals.hits, vectors };
}

type RankOptions = {
  /** The sessions whose roots are listed; for the others, only windows were found. */
  readonly listed: ReadonlySet<string>;
  readonly ceiling: number;
  /** True if sessions of which only windows were found come behind those with messages. */
  readonly areFormsLast: boolean;
};

function rank(
  found: Found,
  roots: Roots,
  { listed, ceiling, areFormsLast }: RankOptions,
): Omit<Segment, "isByCharacters" | "hasMore"> {
  const rootOf = (id: string): string | undefined => roots.rootOf(id);
  const arms = armsOf(found);
  const most = arms.reduce((sum, { weight, hits }) => sum + (hits.length > 0 ? weight : 0), 0);
  const scale = ceiling / most;
  const foundIn = Map.groupBy(listed, (id) => rootOf(id) ?? "");
  const ranked = fuse(arms, rootOf, (left, right) => roots.newerFirst(left, right))
    .filter(({ rootId }) => foundIn.has(rootId))
    .map((root) => ({ ...root, score: root.score * scale }));
  const inOrder = areFormsLast ? withFormsLast(ranked, titledSessionsOf(found, rootOf)) : ranked;
  return { arms, scale, ranked: inOrder, found, foundIn, roots };
}

/**
 * Puts sessions with other forms of the word behind those that hold it. Their scores and votes
 * shrink alike, to fit there.
 *
 * @param titled - Those whose title may be what holds it.
 */
function withFormsLast(
  ranked: readonly RankedRoot[],
  titled: ReadonlyMap<string, string>,
): RankedRoot[] {
  const isForm = ({ rootId, votes }: RankedRoot): boolean =>
    Object.keys(votes).every((arm) => arm === "window") && !titled.has(rootId);
  const holder = ranked.findLast(({ votes }) => "message" in votes);
  const best = ranked.find(isForm);
  if (holder === undefined || best === undefined || best.score < holder.score) return [...ranked];
  const factor = holder.score / best.score;
  const shrunk = ranked.filter(isForm).map(({ rootId, score, votes }) => {
    const shares = Object.entries(votes).map(([arm, vote]) => [arm, vote * factor]);
    return { rootId, score: score * factor, votes: Object.fromEntries(shares) };
  });
  const others = ranked.filter((root) => !isForm(root));
  return [...others, ...shrunk].sort((left, right) => right.score - left.score);
}

function armsOf({ messages, windows, literals, vectors }: Found): Arm[] {
  const { messageDecay, windowDecay, vectorDecay } = weights;
  return [
    {
      ...{ name: "message", weight: weights.message, decay: messageDecay, isFromZero: true },
      hits: messages.map(({ sessionId, rank }) => ({ sessionId, score: rank })),
    },
    { name: "window", weight: weights.window, decay: windowDecay, hits: windows },
    {
      ...{ name: "literal", weight: weights.literal, decay: 0, isShare: true },
      hits: literals.map(({ sessionId, share }) => ({ sessionId, score: share })),
    },
    {
      ...{ name: "vector", weight: weights.vector, decay: vectorDecay },
      hits: vectors.map(({ sessionId, similarity }) => ({ sessionId, score: similarity })),
    },
  ];
}
