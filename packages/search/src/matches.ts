import { toRfc3339 } from "@pond/canonical";
import type { PartSummary } from "@pond/sessions";
import type { Hit, WindowHit } from "./full-text.ts";
import { minMax } from "./fuse.ts";
import type { LiteralHit } from "./literal.ts";
import { keyText, type MessageKey, type ShownText } from "./payload.ts";
import type { SearchMatch } from "./request.ts";
import { beginning, coverage, type Highlighter, toSnippet } from "./snippet.ts";
import { weights } from "./weights.ts";

/** A message that may be shown for its root. */
export type Candidate = MessageKey & {
  /** The arms fused, for the order within a session. */
  readonly rank: number;
  readonly score: number;
  /** True where only the window around it was found: its text decides whether it is shown. */
  readonly isGuess: boolean;
};

const matchesPerSession = 3;
const guessesPerWindow = 40;
const wholeChars = 600;
const prefixChars = 300;

/** The messages worth loading for each root, from what the arms found. */
export function candidatesOf(
  messages: readonly Hit[],
  windows: readonly WindowHit[],
  literals: readonly LiteralHit[],
  rootOf: (sessionId: string) => string | undefined,
): Map<string, Candidate[]> {
  const byKey = new Map<string, Candidate>();
  const stretch = minMax(messages.map(({ score }) => score));
  for (const { sessionId, id, score } of messages) {
    const rank = weights.message * stretch(score);
    byKey.set(keyText({ sessionId, id }), { sessionId, id, rank, score, isGuess: false });
  }
  for (const hit of literals) {
    const { sessionId, id, bm25 } = hit;
    const known = byKey.get(keyText(hit));
    const rank = (known?.rank ?? 0) + weights.literal * hit.score;
    const score = known?.score ?? bm25;
    byKey.set(keyText(hit), { sessionId, id, rank, score, isGuess: false });
  }
  addWindows(byKey, windows, rootOf);
  return gatherByRoot([...byKey.values()], rootOf);
}

/** A window votes for its messages; where none of them was found, for the one that fits best. */
function addWindows(
  byKey: Map<string, Candidate>,
  windows: readonly WindowHit[],
  rootOf: (sessionId: string) => string | undefined,
): void {
  const stretch = minMax(windows.map(({ score }) => score));
  const seen = new Set<string | undefined>();
  for (const { sessionId, score, messageIds } of windows) {
    const rank = weights.window * stretch(score);
    const isBest = !seen.has(rootOf(sessionId));
    seen.add(rootOf(sessionId));
    const ids = idsOf(messageIds);
    const found = ids.flatMap((id) => byKey.get(keyText({ sessionId, id })) ?? []);
    for (const each of found) byKey.set(keyText(each), { ...each, rank: each.rank + rank });
    if (found.length > 0 || !isBest) continue;
    for (const id of ids.slice(0, guessesPerWindow)) {
      byKey.set(keyText({ sessionId, id }), { sessionId, id, rank, score, isGuess: true });
    }
  }
}

/** The best messages of one root as an answer shows them. */
export function toMatches(
  candidates: readonly Candidate[],
  texts: ReadonlyMap<string, ShownText>,
  highlighter: Highlighter,
): readonly (Candidate & { readonly shown: ShownText })[] {
  const shown = candidates.flatMap((candidate) => {
    const text = texts.get(keyText(candidate));
    return text === undefined ? [] : [{ ...candidate, shown: text }];
  });
  const guesses = shown
    .filter(({ isGuess }) => isGuess)
    .map((each) => ({ ...each, held: coverage(each.shown.text, highlighter) }))
    .toSorted((left, right) => right.held - left.held)
    .slice(0, 1);
  return [...shown.filter(({ isGuess }) => !isGuess), ...guesses]
    .toSorted((left, right) => right.rank - left.rank || right.score - left.score)
    .slice(0, matchesPerSession);
}

/** One match in its wire form. */
export function toMatch(
  { sessionId, id, score, shown }: Candidate & { readonly shown: ShownText },
  highlighter: Highlighter,
  parts: readonly PartSummary[] | undefined,
): SearchMatch {
  const { text } = shown;
  return {
    message_id: id,
    session_id: sessionId,
    role: shown.role,
    timestamp: toRfc3339(shown.timestamp),
    score: Math.round(score * 1e4) / 1e4,
    ...(text.length <= wholeChars ? { text } : { prefix: beginning(text, prefixChars) }),
    snippet: toSnippet(text, highlighter),
    ...(shown.role === "user" && { parts_summary: parts ?? [] }),
    ...(shown.isRevised && { revised: true as const }),
    ...(shown.isRemoved && { removed: true as const }),
  };
}

/** Of each root its best messages, and guesses where they could be better than those. */
function gatherByRoot(
  candidates: readonly Candidate[],
  rootOf: (sessionId: string) => string | undefined,
): Map<string, Candidate[]> {
  const byRoot = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const root = rootOf(candidate.sessionId);
    if (root === undefined) continue;
    const own = byRoot.get(root);
    if (own) own.push(candidate);
    else byRoot.set(root, [candidate]);
  }
  for (const [root, own] of byRoot) {
    const sure = own
      .filter(({ isGuess }) => !isGuess)
      .toSorted((left, right) => right.rank - left.rank)
      .slice(0, matchesPerSession);
    const best = sure[0]?.rank ?? -1;
    byRoot.set(root, [...sure, ...own.filter(({ isGuess, rank }) => isGuess && rank > best)]);
  }
  return byRoot;
}

function idsOf(json: string): string[] {
  const ids: unknown = JSON.parse(json);
  return Array.isArray(ids) ? ids.map(String) : [];
}
