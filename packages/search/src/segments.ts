import type { SessionStore } from "@pond/sessions";
import { type Found, sessionIdsOf } from "./candidates.ts";
import { CopyFilter } from "./copies.ts";
import type { Scope } from "./filter.ts";
import { type Arm, fuse, type RankedRoot } from "./fuse.ts";
import { type InBounds, inBounds } from "./in-bounds.ts";
import type { KnownSessions } from "./known-sessions.ts";
import {
  type Ask,
  byCharacters,
  byLiteral,
  byWindows,
  byWords,
  isEmpty,
  type Lexical,
} from "./lexical.ts";
import type { Page } from "./page.ts";
import { isBound, isOneLiteral, type ParsedQuery } from "./query.ts";
import { loadRoots, type Roots } from "./roots.ts";
import { without } from "./rounds.ts";
import { atLeast } from "./scores.ts";
import { subAgentsOf } from "./sub-agents.ts";
import type { Meaning, VectorHit } from "./vector.ts";
import { weights } from "./weights.ts";

type Asked = InBounds & { readonly words: Lexical };

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
  readonly known: Promise<KnownSessions>;
  /** The future result of the vector arm. */
  readonly meaning: Promise<Meaning>;
};

// Each segment asks for sessions that none before has seen; this is where the longest paging ends.
const segmentsAtMost = 100;
// If the best windows have nothing in bounds, the others mostly have nothing either.
const barrenAtMost = 3;

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
  { minScore, shown, meaning, known: sessionsKnown }: SegmentOptions,
): AsyncGenerator<Segment> {
  // The bounds are on messages: no message of a window may meet them.
  const isSure = scope.isLoose || isBound(query) || minScore > 0;
  const copies = new CopyFilter(sessions);
  const met = { messages: new Set<string>(), windows: new Set<string>() };
  // Words that are said often may score more than the literal: messages that hold it need not be
  // enough.
  let ask: Ask = isOneLiteral(query) && minScore === 0 ? byLiteral : byWords;
  let ceiling = 1;
  let barren = 0;
  for (let round = 0; round < segmentsAtMost; round += 1) {
    const rest = {
      messages: without(met.messages, scope.messages),
      windows: without(met.windows, scope.windows),
      isSure,
    };
    const answerOf = async (way: Ask): Promise<Asked> => {
      const words = await way(sessions, query, rest);
      const vectors = round === 0 ? (await meaning).hits : [];
      const hits = await atLeast(sessions, query, foundOf(words, vectors), minScore);
      return { words, ...(await inBounds(sessions, query, hits, { isSure, minScore, scope })) };
    };
    let [answer, known] = await Promise.all([answerOf(ask), sessionsKnown]);
    if (round === 0 && isEmpty(answer.found) && minScore === 0) {
      // Words found nothing. It may be a part of a word, or a phrase of punctuation.
      const exact = answer.words.isScanned ? answer : await answerOf(byCharacters);
      if (!isEmpty(exact.found) || !answer.words.windows.isCut) {
        ask = byCharacters;
        answer = exact;
      }
    }
    const { words, found, listed, judged } = answer;
    const all = sessionIdsOf(found);
    const isByCharacters = ask === byCharacters;
    // Messages with a name as it stands are shown; those with its pieces are not worth another
    // search.
    const hasMore = words.messages.isCut && ask === byWords;
    const roots = await loadRoots(sessions, known, all, shown);
    const ranking = rank(found, roots, { listed, ceiling });
    const ranked = await copies.without(ranking, all);
    yield { ...ranking, ranked, isByCharacters, hasMore };
    const { messages, windows, literals } = words;
    // For a query that is one name, windows find nothing that bounds on messages let pass.
    const areWindowsOver = isSure && (minScore > 0 || ask === byLiteral);
    const isLeft = windows.isCut || all.size > judged.size;
    const isCut = messages.isCut || literals.isCut || (isLeft && !areWindowsOver);
    if (listed.size === 0) barren += 1;
    if (!isCut || judged.size === 0 || barren > barrenAtMost) return;
    const below = await subAgentsOf(
      sessions,
      known,
      ranking.ranked.map(({ rootId }) => rootId),
    );
    for (const id of [...listed, ...below]) met.messages.add(id);
    for (const id of [...judged, ...below]) met.windows.add(id);
    if (ask === byLiteral && !messages.isCut && !literals.isCut) ask = byWindows;
    ceiling = ranking.ranked.at(-1)?.score ?? ceiling;
  }
}

function foundOf({ messages, windows, literals }: Lexical, vectors: readonly VectorHit[]): Found {
  return { messages: messages.hits, windows: windows.hits, literals: literals.hits, vectors };
}

/** @param listed - The sessions whose roots are listed; for the others, only windows were found. */
function rank(
  found: Found,
  roots: Roots,
  { listed, ceiling }: { readonly listed: ReadonlySet<string>; readonly ceiling: number },
): Omit<Segment, "isByCharacters" | "hasMore"> {
  const rootOf = (id: string): string | undefined => roots.rootOf(id);
  const arms = armsOf(found);
  const most = arms.reduce((sum, { weight, hits }) => sum + (hits.length > 0 ? weight : 0), 0);
  const scale = ceiling / most;
  const foundIn = Map.groupBy(listed, (id) => rootOf(id) ?? "");
  const ranked = fuse(arms, rootOf, (left, right) => roots.newerFirst(left, right))
    .filter(({ rootId }) => foundIn.has(rootId))
    .map((root) => ({ ...root, score: root.score * scale }));
  return { arms, scale, ranked, found, foundIn, roots };
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
