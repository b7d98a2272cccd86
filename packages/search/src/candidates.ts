import type { MessageHit, WindowHit } from "./full-text.ts";
import { minMax } from "./fuse.ts";
import type { LiteralHit } from "./literal.ts";
import { keyText, type MessageKey, type StoredText } from "./message.ts";
import { weights } from "./weights.ts";

/** What the arms found. */
export type Found = {
  readonly messages: readonly MessageHit[];
  readonly windows: readonly WindowHit[];
  readonly literals: readonly LiteralHit[];
};

/** A message that may be shown for its root. */
export type Candidate = {
  readonly key: MessageKey;
  /** Undefined where only the window around it was found: its text will decide. */
  readonly message: StoredText | undefined;
  /** The arms fused, for the order within a session. */
  readonly rank: number;
  readonly score: number;
};

type RootOf = (sessionId: string) => string | undefined;

export const matchesPerSession = 3;
const guessesPerWindow = 24;

/** Of each root its best messages, and the messages of a window where none of them was found. */
export function candidatesOf(found: Found, rootOf: RootOf): Map<string, Candidate[]> {
  const sure = hitsByKey(found);
  const guesses = voteOfWindows(sure, found.windows, rootOf);
  const byRoot = new Map<string, Candidate[]>();
  for (const candidate of sure.values()) gather(byRoot, rootOf, candidate);
  for (const [root, own] of byRoot) {
    byRoot.set(root, own.toSorted(byRank).slice(0, matchesPerSession));
  }
  for (const guess of guesses) {
    const best = byRoot.get(rootOf(guess.key.sessionId) ?? "")?.[0];
    // A guess is worth a read only where it would come first.
    if (best?.message === undefined || guess.rank > best.rank) gather(byRoot, rootOf, guess);
  }
  return byRoot;
}

export function byRank(left: Candidate, right: Candidate): number {
  return right.rank - left.rank || right.score - left.score;
}

function hitsByKey({ messages, literals }: Found): Map<string, Candidate> {
  const byKey = new Map<string, Candidate>();
  const stretch = minMax(messages.map(({ score }) => score));
  for (const { key, message, score } of messages) {
    byKey.set(keyText(key), { key, message, score, rank: weights.message * stretch(score) });
  }
  for (const { key, message, score, share } of literals) {
    const known = byKey.get(keyText(key));
    const rank = (known?.rank ?? 0) + weights.literal * share;
    byKey.set(keyText(key), { key, message, rank, score: known?.score ?? score });
  }
  return byKey;
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
      guesses.push({ key, message: undefined, rank, score });
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
