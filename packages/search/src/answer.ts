import { toRfc3339 } from "@pond/canonical";
import type { PartSummary, SessionStore } from "@pond/sessions";
import { byRank, type Candidate, matchesPerSession } from "./candidates.ts";
import type { Scope } from "./filter.ts";
import type { RankedRoot } from "./fuse.ts";
import { meetsBounds } from "./literal.ts";
import { keyText, type MessageKey, type StoredText } from "./message.ts";
import { loadPartSummaries, loadStates, loadTexts, type State } from "./payload.ts";
import type { ParsedQuery } from "./query.ts";
import type { SearchMatch, SessionMatches } from "./request.ts";
import type { Roots } from "./roots.ts";
import { beginning, coverage, type Highlighter, toHighlighter, toSnippet } from "./snippet.ts";

/** Up to here a text is shown whole. */
const wholeChars = 600;
const prefixChars = 300;

type Shown = Candidate & { readonly message: StoredText };

/** What an answer shows of one root. */
export type Chosen = { readonly root: RankedRoot; readonly candidates: readonly Candidate[] };

/**
 * The chosen sessions in their wire form. What is not at hand yet is read at once, side by side.
 *
 * @param most - What a session could score at most.
 */
export async function toAnswer(
  sessions: SessionStore,
  chosen: readonly Chosen[],
  context: {
    readonly query: ParsedQuery;
    readonly scope: Scope;
    readonly roots: Roots;
    readonly most: number;
  },
): Promise<SessionMatches[]> {
  const { query, scope, roots, most } = context;
  const all = chosen.flatMap(({ candidates }) => candidates);
  const guesses = all.filter(({ message }) => message === undefined).map(({ key }) => key);
  const users = all.filter(({ message }) => message?.role === "user").map(({ key }) => key);
  const [texts, states, parts] = await Promise.all([
    loadTexts(sessions, guesses, scope.messages),
    loadStates(
      sessions,
      all.map(({ key }) => key),
    ),
    loadPartSummaries(sessions, users),
  ]);
  const highlighter = toHighlighter(query);
  const groups = chosen.map(({ root, candidates }) => ({
    root,
    best: bestOf(candidates, texts, query, highlighter),
  }));
  const late = groups.flatMap(({ best }) => best.map(({ key }) => key)).filter(isUserOf(texts));
  const lateParts = await loadPartSummaries(sessions, late);
  return groups.flatMap(({ root, best }): SessionMatches[] => {
    const labels = roots.labels(root.rootId);
    const [first] = best;
    if (labels === undefined || first === undefined) return [];
    return [
      {
        session_id: first.key.sessionId,
        root_session_id: root.rootId,
        source_agent: labels.sourceAgent,
        project: labels.project,
        created_at: toRfc3339(labels.createdAt),
        score: rounded(root.score / most),
        matches: telling(
          best.map((each) => {
            const key = keyText(each.key);
            const summaries = parts.get(key) ?? lateParts.get(key) ?? [];
            return toMatch(each, states.get(key), summaries, highlighter);
          }),
        ),
      },
    ];
  });
}

/** The messages to show: those found, and of those guessed at the one that holds most. */
function bestOf(
  candidates: readonly Candidate[],
  texts: ReadonlyMap<string, StoredText>,
  query: ParsedQuery,
  highlighter: Highlighter,
): Shown[] {
  const sure: Shown[] = [];
  let guess: Shown | undefined;
  let most = 0;
  for (const candidate of candidates) {
    const message = candidate.message ?? texts.get(keyText(candidate.key));
    if (message === undefined) continue;
    const shown = { ...candidate, message };
    if (candidate.message !== undefined) sure.push(shown);
    else if (meetsBounds(message.text, query)) {
      const held = coverage(message.text, highlighter);
      if (guess === undefined || held > most) {
        guess = shown;
        most = held;
      }
    }
  }
  const all = guess === undefined ? sure : [...sure, guess];
  return all.toSorted(byRank).slice(0, matchesPerSession);
}

/** Leaves out further matches that hold nothing but function words. */
function telling(matches: readonly SearchMatch[]): SearchMatch[] {
  return matches.filter(({ snippet }, at) => at === 0 || snippet.highlights.length > 0);
}

function isUserOf(texts: ReadonlyMap<string, StoredText>): (key: MessageKey) => boolean {
  return (key) => texts.get(keyText(key))?.role === "user";
}

function toMatch(
  { key, message, score }: Shown,
  state: State | undefined,
  parts: readonly PartSummary[],
  highlighter: Highlighter,
): SearchMatch {
  const text = state?.text ?? message.text;
  return {
    message_id: key.id,
    session_id: key.sessionId,
    role: message.role,
    timestamp: toRfc3339(message.timestamp),
    score: rounded(score),
    ...(text.length <= wholeChars ? { text } : { prefix: beginning(text, prefixChars) }),
    snippet: toSnippet(text, highlighter),
    ...(message.role === "user" && { parts_summary: parts }),
    ...(state?.text !== undefined && { revised: true as const }),
    ...(state?.isRemoved && { removed: true as const }),
  };
}

function rounded(score: number): number {
  return Math.round(score * 1e4) / 1e4;
}
