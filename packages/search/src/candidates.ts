import type { MessageHit, WindowHit } from "./full-text.ts";
import { minMax } from "./fuse.ts";
import type { LiteralHit } from "./literal.ts";
import { keyText, type MessageKey, type StoredText } from "./message.ts";
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
export type Candidate = {
  readonly key: MessageKey;
  /** Undefined where only the window around it was found: its text will decide. */
  readonly message: StoredText | undefined;
  /** The arms fused, for the order within a session. */
  readonly rank: number;
  /** BM25; undefined where the message arm has not said. */
  readonly score: number | undefined;
  readonly similarity: number | undefined;
  /** True for what comes nearest by meaning of its root. */
  readonly isNearest?: true;
};

type RootOf = (sessionId: string) => string | undefined;

export const matchesPerSession = 3;
const guessesPerWindow = 24;

/**
 * Of each root its best messages, and the messages of a window where none of them was found.
 *
 * @param mayGuess - False where a message must meet bounds that those of a window may not.
 */
export function candidatesOf(
  found: Found,
  rootOf: RootOf,
  mayGuess: boolean,
): Map<string, Candidate[]> {
  const sure = hitsByKey(found);
  addVectors(sure, found.vectors, rootOf);
  const guesses = voteOfWindows(sure, found.windows, rootOf);
  const byRoot = new Map<string, Candidate[]>();
  for (const candidate of sure.values()) gather(byRoot, rootOf, candidate);
  for (const [root, own] of byRoot) {
    byRoot.set(root, own.toSorted(byRank).slice(0, matchesPerSession));
  }
  for (const guess of mayGuess ? guesses : []) {
    const best = byRoot.get(rootOf(guess.key.sessionId) ?? "")?.[0];
    // A guess is worth a read only where it would come first.
    if (best?.message === undefined || guess.rank > best.rank) gather(byRoot, rootOf, guess);
  }
  return byRoot;
}

export function byRank(left: Candidate, right: Candidate): number {
  return right.rank - left.rank || (right.score ?? 0) - (left.score ?? 0);
}

function hitsByKey({ messages, literals }: Found): Map<string, Candidate> {
  const byKey = new Map<string, Candidate>();
  const stretch = minMax(messages.map(({ rank }) => rank));
  for (const { key, message, score, rank: own } of messages) {
    const rank = weights.message * stretch(own);
    byKey.set(keyText(key), { key, message, score, rank, similarity: undefined });
  }
  for (const { key, message, share } of literals) {
    const known = byKey.get(keyText(key));
    const rank = (known?.rank ?? 0) + weights.literal * share;
    byKey.set(keyText(key), { key, message, rank, score: known?.score, similarity: undefined });
  }
  return byKey;
}

function addVectors(
  sure: Map<string, Candidate>,
  vectors: readonly VectorHit[],
  rootOf: RootOf,
): void {
  const stretch = minMax(vectors.map(({ similarity }) => similarity));
  const seen = new Set<string | undefined>();
  for (const { key, message, similarity } of vectors) {
    const root = rootOf(key.sessionId);
    const known = sure.get(keyText(key));
    const rank = (known?.rank ?? 0) + weights.vector * stretch(similarity);
    sure.set(keyText(key), {
      ...{ key, message, rank, similarity, score: known?.score },
      ...(!seen.has(root) && { isNearest: true }),
    });
    seen.add(root);
  }
}

/** A window votes for its messages that were found; the best of a root guesses where none was. */
function voteOfWindows(
  sure: Map<string, Candidate>,
  windows: readonly WindowHit[],
  rootOf: RootOf,
): Candidate[] {
  const stretch = minMax(windows.map(({ score }) => score));
  const seen = new Set<string | undefined>();
  const guesses: Candidate[] = [];
  for (const { sessionId, score, messageIds } of windows) {
    const root = rootOf(sessionId);
    const isBestOfRoot = !seen.has(root);
    seen.add(root);
    const rank = weights.window * stretch(score);
    const keys = idsOf(messageIds).map((id): MessageKey => ({ sessionId, id }));
    const found = keys.flatMap((key) => sure.get(keyText(key)) ?? []);
    for (const each of found) sure.set(keyText(each.key), { ...each, rank: each.rank + rank });
    if (found.length > 0 || !isBestOfRoot) continue;
    for (const key of keys.slice(0, guessesPerWindow)) {
      guesses.push({ key, message: undefined, rank, score: undefined, similarity: undefined });
    }
  }
  return guesses;
}

function gather(byRoot: Map<string, Candidate[]>, rootOf: RootOf, candidate: Candidate): void {
  const root = rootOf(candidate.key.sessionId);
  if (root === undefined) return;
  const own = byRoot.get(root);
  if (own) own.push(candidate);
  else byRoot.set(root, [candidate]);
}

function idsOf(json: string): string[] {
  const ids: unknown = JSON.parse(json);
  return Array.isArray(ids) ? ids.map(String) : [];
}
