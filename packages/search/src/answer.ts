import { toRfc3339 } from "@pond/canonical";
import type { PartSummary, SessionStore } from "@pond/sessions";
import { byRank, type Candidate, matchesPerSession } from "./candidates.ts";
import { type Coverage, toCoverage } from "./coverage.ts";
import type { RankedRoot } from "./fuse.ts";
import { keyText, type MessageKey, type StoredText } from "./message.ts";
import { loadPartSummaries, loadStates, loadTexts, type State } from "./payload.ts";
import type { ParsedQuery } from "./query.ts";
import type { SearchMatch, SessionMatches } from "./request.ts";
import type { Roots } from "./roots.ts";
import { rounded, type Scored, scoreMessages } from "./scores.ts";
import type { Segment } from "./segments.ts";
import { beginning, type Highlighter, toHighlighter, toSnippet } from "./snippet.ts";
import { countSubAgents } from "./sub-agents.ts";

/** Up to here a text is shown whole. */
const wholeChars = 600;
const prefixChars = 300;

/** A root on the page, and the messages that may be shown of it. */
export type Chosen = {
  readonly root: RankedRoot;
  readonly candidates: readonly Candidate[];
  readonly segment: Segment;
};

type Found = Candidate & { readonly message: StoredText };
type Shown = Found & { readonly score: number };

/** The chosen sessions in their wire form. */
export async function toAnswer(
  sessions: SessionStore,
  query: ParsedQuery,
  chosen: readonly Chosen[],
): Promise<SessionMatches[]> {
  const rootIds = chosen.map(({ root }) => root.rootId);
  const found = chosen.flatMap(({ candidates }) => candidates.filter(isFound));
  const [texts, subAgents, details] = await Promise.all([
    loadCandidates(sessions, query, chosen),
    countSubAgents(sessions, rootIds),
    loadDetails(sessions, found),
  ]);
  const coverage = toCoverage(query);
  const groups = chosen.map((each) => ({
    ...each,
    best: bestOf(each.candidates, texts, coverage),
  }));
  // Which of the guesses are shown, their texts have told; of what was found it is known before.
  const guessed = groups.flatMap(({ best, candidates }) => {
    const before = new Set(candidates.filter(isFound).map(({ key }) => keyText(key)));
    return best.filter(({ key }) => !before.has(keyText(key)));
  });
  const late = await loadDetails(sessions, guessed);
  for (const [key, state] of late.states) details.states.set(key, state);
  for (const [key, parts] of late.parts) details.parts.set(key, parts);
  const isByCharacters = chosen.some(({ segment }) => segment.isByCharacters);
  const highlighter = toHighlighter(isByCharacters ? { ...query, literals: [query.text] } : query);
  return groups.flatMap(({ root: { rootId, score }, segment, best }): SessionMatches[] => {
    const labels = segment.roots.labels(rootId);
    const [first] = best;
    if (labels === undefined || first === undefined) return [];
    const below = subAgents.get(rootId) ?? 0;
    const foundIn = segment.foundIn.get(rootId)?.filter((id) => id !== rootId) ?? [];
    return [
      {
        session_id: first.key.sessionId,
        root_session_id: rootId,
        source_agent: labels.sourceAgent,
        project: labels.project,
        created_at: toRfc3339(labels.createdAt),
        score: rounded(score),
        ...(below > 0 && { sub_agents: { sessions: below, found_in: foundIn.length } }),
        matches: best
          .map((each) => toMatch(each, details, parentOf(each, rootId, segment.roots), highlighter))
          // Further matches that hold nothing but function words say nothing.
          .filter(
            ({ snippet }, at) => at === 0 || snippet.highlights.length > 0 || best[at]?.isNearest,
          ),
      },
    ];
  });
}

/** What the arms have not told of the candidates: texts of guesses, BM25 of what others found. */
async function loadCandidates(
  sessions: SessionStore,
  query: ParsedQuery,
  chosen: readonly Chosen[],
): Promise<ReadonlyMap<string, Scored>> {
  const unscored = chosen.flatMap(({ candidates }) =>
    candidates.filter(({ score }) => score === undefined),
  );
  const scored = await scoreMessages(sessions, query, keysOf(unscored));
  // A window's words are cut, so it may be found by forms that no message of it is found by.
  const wordless = chosen.filter(({ candidates }) =>
    candidates.every(({ key, message }) => message === undefined && !scored.has(keyText(key))),
  );
  const keys = keysOf(wordless.flatMap(({ candidates }) => candidates));
  for (const [key, message] of await loadTexts(sessions, keys)) {
    scored.set(key, { message, score: 0 });
  }
  return scored;
}

/** The messages to show: those found, and of those guessed at the one that holds most. */
function bestOf(
  candidates: readonly Candidate[],
  texts: ReadonlyMap<string, Scored>,
  coverage: Coverage,
): Shown[] {
  const found: Shown[] = [];
  let guess: Shown | undefined;
  let most = -1;
  for (const candidate of candidates) {
    const loaded = texts.get(keyText(candidate.key));
    const message = candidate.message ?? loaded?.message;
    if (message === undefined) continue;
    const shown = { ...candidate, message, score: candidate.score ?? loaded?.score ?? 0 };
    if (candidate.message !== undefined) {
      found.push(shown);
      continue;
    }
    const held = coverage(message.text);
    if (held > most) {
      guess = shown;
      most = held;
    }
  }
  const all = guess === undefined ? found : [...found, guess];
  return all.toSorted(byRank).slice(0, matchesPerSession);
}

/** What is read of the messages that are shown, by key. */
type Details = {
  readonly states: Map<string, State>;
  readonly parts: Map<string, PartSummary[]>;
};

async function loadDetails(sessions: SessionStore, messages: readonly Found[]): Promise<Details> {
  const users = messages.filter(({ message }) => message.role === "user");
  const [states, parts] = await Promise.all([
    loadStates(sessions, keysOf(messages)),
    loadPartSummaries(sessions, keysOf(users)),
  ]);
  return { states, parts };
}

type Parent = Pick<SearchMatch, "parent_session_id" | "parent_message_id">;

/** Where a match of a session below the root hangs. */
function parentOf({ key }: Shown, rootId: string, roots: Roots): Parent {
  const labels = roots.labels(key.sessionId);
  if (key.sessionId === rootId || labels === undefined || labels.parentId === null) return {};
  return {
    parent_session_id: labels.parentId,
    ...(labels.parentMessageId !== null && { parent_message_id: labels.parentMessageId }),
  };
}

function toMatch(
  { key, message, score, similarity }: Shown,
  { states, parts }: Details,
  parent: Parent,
  highlighter: Highlighter,
): SearchMatch {
  const name = keyText(key);
  const state = states.get(name);
  const text = state?.text ?? message.text;
  return {
    message_id: key.id,
    session_id: key.sessionId,
    role: message.role,
    timestamp: toRfc3339(message.timestamp),
    ...parent,
    score: rounded(score),
    ...(similarity !== undefined && { similarity: rounded(similarity) }),
    ...(text.length <= wholeChars ? { text } : { prefix: beginning(text, prefixChars) }),
    snippet: toSnippet(text, highlighter),
    ...(message.role === "user" && { parts_summary: parts.get(name) ?? [] }),
    ...(state?.text !== undefined && { revised: true as const }),
    ...(state?.isRemoved && { removed: true as const }),
  };
}

/** False for what only the window around it was found of. */
function isFound(candidate: Candidate): candidate is Found {
  return candidate.message !== undefined;
}

function keysOf(candidates: readonly Candidate[]): MessageKey[] {
  return candidates.map(({ key }) => key);
}
