import type { MessageHit, WindowHit } from "./full-text.ts";
import { minMax } from "./fuse.ts";
import type { LiteralHit } from "./literal-hits.ts";
import type { FoundMessage, MessageKey } from "./message.ts";
import type { VectorHit } from "./vector.ts";
import { weights } from "./weights.ts";

/** What the arms found. */
export type Found = {
  readonly messages: readonly MessageHit[];
  readonly windows: readonly WindowHit[];
  readonly literals: readonly LiteralHit[];
  readonly vectors: readonly VectorHit[];
};

/** A message that may be shown for its root. */
export type Candidate = FoundMessage & {
  /** The fused score of the arms, for the order within a session. */
  readonly rank: number;
  /** BM25; undefined if the message arm did not find it. */
  readonly score: number | undefined;
  readonly similarity: number | undefined;
  /** True for the message of its root that is nearest in meaning. */
  readonly isNearest?: true;
};

/** The root of a session; undefined if it is not one of those asked for. */
export type RootOf = (sessionId: string) => string | undefined;

export const matchesPerSession = 3;
const guessesPerWindow = 24;

/** The rows of the messages found below these roots. */
export function rowsOf(found: Found, rootOf: RootOf): bigint[] {
  const hits = messagesOf(found).filter(({ sessionId }) => rootOf(sessionId) !== undefined);
  return [...new Set(hits.map(({ row }) => row))];
}

/**
 * For each root, the found messages to show, best first. Windows do not count here: what stands
 * beside a message does not make it a better answer (apps/bench, shown@5).
 */
export function candidatesOf(found: Found, rootOf: RootOf): Map<string, Candidate[]> {
  const byRow = hitsByRow(found, rootOf);
  addVectors(byRow, found.vectors, rootOf);
  const byRoot = Map.groupBy(byRow.values(), ({ sessionId }) => rootOf(sessionId) ?? "");
  return new Map(
    [...byRoot].map(([root, found]) => {
      const own = withoutDuplicates(found, root).toSorted(byRank);
      return [root, own.slice(0, matchesPerSession)];
    }),
  );
}

/** The sessions in which anything was found. */
export function sessionIdsOf({ messages, windows, literals, vectors }: Found): Set<string> {
  const hits = [...windows, ...messages, ...literals, ...vectors];
  return new Set(hits.map(({ sessionId }) => sessionId));
}

/** The messages of a window; the window of a title has none. */
export function keysOf({ sessionId, messageIds }: WindowHit): MessageKey[] {
  const ids: unknown = JSON.parse(messageIds);
  return Array.isArray(ids) ? ids.map((id) => ({ sessionId, id: String(id) })) : [];
}

/** For each root of which only windows were found: the messages of its best window. */
export function guessesOf(found: Found, rootOf: RootOf): Map<string, MessageKey[]> {
  const guesses = new Map<string, MessageKey[]>();
  for (const [root, windows] of windowsOfUnprovenRoots(found, rootOf)) {
    const keys = windows.map(keysOf).find(({ length }) => length > 0);
    if (keys !== undefined) guesses.set(root, keys.slice(0, guessesPerWindow));
  }
  return guesses;
}

/** For each root of which only titles were found: the session with the best title. */
export function titledSessionsOf(found: Found, rootOf: RootOf): Map<string, string> {
  const titled = new Map<string, string>();
  for (const [root, windows] of windowsOfUnprovenRoots(found, rootOf)) {
    const [best] = windows;
    const areTitles = windows.every((window) => keysOf(window).length === 0);
    if (best !== undefined && areTitles) titled.set(root, best.sessionId);
  }
  return titled;
}

/** The windows of each root of which nothing else was found, best first. */
function windowsOfUnprovenRoots(found: Found, rootOf: RootOf): Map<string, WindowHit[]> {
  const sure = new Set(messagesOf(found).map(({ sessionId }) => rootOf(sessionId)));
  const byRoot = Map.groupBy(found.windows, ({ sessionId }) => rootOf(sessionId) ?? "");
  return new Map([...byRoot].filter(([root]) => root !== "" && !sure.has(root)));
}

function messagesOf({ messages, literals, vectors }: Found): FoundMessage[] {
  return [...messages, ...literals, ...vectors];
}

/**
 * Keeps each text once if sessions below a root repeat it, or if it was said again. The root's own
 * is kept, if that was found.
 */
function withoutDuplicates(found: readonly Candidate[], root: string): Candidate[] {
  const inRoot = ({ sessionId }: Candidate): number => Number(sessionId === root);
  const ownFirst = (left: Candidate, right: Candidate): number =>
    inRoot(right) - inRoot(left) || Number(left.row - right.row);
  const byText = new Map<string, Candidate>();
  for (const candidate of found.toSorted(ownFirst)) {
    const kept = byText.get(candidate.text);
    byText.set(candidate.text, kept === undefined ? candidate : mergeDuplicate(kept, candidate));
  }
  return [...byText.values()];
}

function mergeDuplicate(kept: Candidate, copy: Candidate): Candidate {
  const isNearest = kept.isNearest === true || copy.isNearest === true;
  return {
    ...kept,
    rank: Math.max(kept.rank, copy.rank),
    similarity: kept.similarity ?? copy.similarity,
    ...(isNearest && { isNearest }),
  };
}

function byRank(left: Candidate, right: Candidate): number {
  const order = right.rank - left.rank || (right.score ?? 0) - (left.score ?? 0);
  // The engine returns equal rows in any order.
  return order || Number(left.row - right.row);
}

function hitsByRow({ messages, literals }: Found, rootOf: RootOf): Map<bigint, Candidate> {
  const byRow = new Map<bigint, Candidate>();
  const add = (message: FoundMessage, vote: number, bm25?: number): void => {
    if (rootOf(message.sessionId) === undefined) return;
    const known = byRow.get(message.row);
    const rank = (known?.rank ?? 0) + vote;
    const score = bm25 ?? known?.score;
    byRow.set(message.row, { ...message, rank, score, similarity: undefined });
  };
  const normalize = minMax(messages.map(({ rank }) => rank));
  for (const hit of messages) add(hit, weights.message * normalize(hit.rank), hit.score);
  for (const hit of literals) add(hit, weights.literal * hit.share);
  return byRow;
}

function addVectors(
  byRow: Map<bigint, Candidate>,
  vectors: readonly VectorHit[],
  rootOf: RootOf,
): void {
  const normalize = minMax(vectors.map(({ similarity }) => similarity));
  const seen = new Set<string>();
  for (const hit of vectors) {
    const root = rootOf(hit.sessionId);
    if (root === undefined) continue;
    const known = byRow.get(hit.row);
    const rank = (known?.rank ?? 0) + weights.vector * normalize(hit.similarity);
    byRow.set(hit.row, {
      ...{ ...hit, rank, score: known?.score },
      ...(!seen.has(root) && { isNearest: true }),
    });
    seen.add(root);
  }
}
