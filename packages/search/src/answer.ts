import { toRfc3339 } from "@pond/canonical";
import { type SessionStore, titles } from "@pond/sessions";
import { StorageUnavailableError } from "@pond/substrate";
import {
  type Candidate,
  candidatesOf,
  guessesOf,
  matchesPerSession,
  rowsOf,
  titledSessionsOf,
} from "./candidates.ts";
import { type Coverage, toCoverage } from "./coverage.ts";
import { loadFirstMessages } from "./first-messages.ts";
import {
  type FoundMessage,
  keyText,
  loadMessages,
  loadParts,
  loadRows,
  type MessageKey,
} from "./message.ts";
import {
  type ChosenRoot,
  type MessageBounds,
  type PageSegment,
  pageSegmentsOf,
  withMoreMessages,
} from "./page-segments.ts";
import type { ParsedQuery } from "./query.ts";
import type { SearchMatch, SearchOptions, SessionMatches } from "./request.ts";
import type { Roots } from "./roots.ts";
import { rounded, type ScoredMessage, scoreMessages, scoreRows } from "./scores.ts";
import type { SessionCache } from "./session-cache.ts";
import { type Highlighter, prefixOf, toHighlighter, toSnippet } from "./snippet.ts";
import { loadStates, type MessageState } from "./states.ts";
import { countSubAgents } from "./sub-agents.ts";

/** A text is shown whole up to this length. */
const maxWholeTextChars = 600;
const prefixChars = 300;

/** A root together with its wire form. */
export type AnsweredRoot = ChosenRoot & { readonly matches: SessionMatches };

/** A message that is shown. */
type ShownMessage = FoundMessage & {
  readonly score: number;
  readonly similarity?: number | undefined;
  readonly isNearest?: true;
};

/** The message that is probably why a window was found. */
type Guess = ShownMessage & { readonly isRevised: boolean };

type ShownByRoot = ReadonlyMap<string, readonly ShownMessage[]>;

type AnswerOptions = MessageBounds &
  Pick<SearchOptions, "withTitles"> & { readonly cache: SessionCache };

/** The chosen sessions in their wire form. */
export async function toAnswer(
  sessions: SessionStore,
  query: ParsedQuery,
  chosen: readonly ChosenRoot[],
  { cache, withTitles = false, ...bounds }: AnswerOptions,
): Promise<AnsweredRoot[]> {
  const rootIds = chosen.map(({ root }) => root.rootId);
  const coverage = toCoverage(query);
  const pages = pageSegmentsOf(chosen);
  const loadMore = async (): Promise<[readonly PageSegment[], ShownByRoot, ShownByRoot]> => {
    const more = await Promise.all(
      pages.map((page) => withMoreMessages(sessions, query, bounds, page)),
    );
    const [found, titled] = await Promise.all([
      loadFound(sessions, query, more),
      loadTitled(sessions, more),
    ]);
    return [more, found, titled];
  };
  const [[more, found, titled], guesses, titlesById, subAgents] = await Promise.all([
    loadMore(),
    loadGuesses(sessions, query, pages, coverage),
    withTitles ? titles(sessions, topmostOf(chosen)).catch(noTitles) : new Map<string, string>(),
    countSubAgents(sessions, cache, rootIds),
  ]);
  const guessed = guessesWorthShowing(guesses, more, coverage);
  const groups = chosen.map(({ root, segment }) => {
    const { rootId } = root;
    const [own = [], others = []] = [found.get(rootId), guessed.get(rootId)];
    const both = withGuesses(own, others, coverage);
    return { root, segment, shown: both.length > 0 ? both : (titled.get(rootId) ?? []) };
  });
  const details = await loadDetails(
    sessions,
    groups.flatMap(({ shown }) => shown),
  );
  const isByCharacters = chosen.some(({ segment }) => segment.isByCharacters);
  const highlighter = toHighlighter(isByCharacters ? { ...query, literals: [query.text] } : query);
  return groups.flatMap(({ root, segment, shown: found }): AnsweredRoot[] => {
    const { roots } = segment;
    // A message that says nothing any more was the client's own, or is empty.
    const shown = found.filter((each) => details.states.get(keyText(each))?.revised?.text !== "");
    const [first] = shown;
    if (first === undefined) return [];
    // The root itself, if it is stored.
    const topmost = roots.topmostStored(first.sessionId);
    const labels = roots.labels(topmost);
    if (labels === undefined) return [];
    // A session that a client imported is attached below a session of another client.
    const { sourceAgent, project } = roots.labels(first.sessionId) ?? labels;
    const foundIn = segment.foundIn.get(root.rootId)?.filter((id) => id !== topmost) ?? [];
    const below = subAgents.get(root.rootId) ?? 0;
    const others = topmost === root.rootId ? below : below - 1;
    // Some may have arrived since they were counted.
    const count = Math.max(others, foundIn.length);
    const title = titlesById.get(topmost);
    const matches: SessionMatches = {
      session_id: first.sessionId,
      root_session_id: topmost,
      source_agent: sourceAgent,
      project,
      created_at: toRfc3339(labels.createdAt),
      ...(title !== undefined && { title }),
      score: rounded(root.score),
      ...(count > 0 && { sub_agents: { sessions: count, found_in: foundIn.length } }),
      matches: shown
        .map((each) => toMatch(each, details, parentOf(each, topmost, roots), highlighter))
        // Further matches that hold only function words say nothing.
        .filter(
          ({ snippet }, at) => at === 0 || snippet.highlights.length > 0 || shown[at]?.isNearest,
        ),
    };
    return [{ root, segment, matches }];
  });
}

/** Damaged files cost an answer only its titles. */
function noTitles(error: unknown): Map<string, string> {
  if (error instanceof StorageUnavailableError) return new Map();
  throw error;
}

/** The topmost stored sessions of these roots. A root that is not stored may have several. */
function topmostOf(chosen: readonly ChosenRoot[]): string[] {
  const found = chosen.flatMap(({ root, segment: { foundIn, roots } }) =>
    (foundIn.get(root.rootId) ?? []).map((id) => roots.topmostStored(id)),
  );
  return [...new Set(found)];
}

/** The messages found for the chosen roots, with their BM25 where their arm has none. */
async function loadFound(
  sessions: SessionStore,
  query: ParsedQuery,
  pages: readonly PageSegment[],
): Promise<ShownByRoot> {
  const rows = pages.flatMap(({ found, rootOf }) => rowsOf(found, rootOf));
  const scored = new Set(pages.flatMap(({ found }) => found.messages.map(({ row }) => row)));
  const unscored = rows.filter((row) => !scored.has(row));
  const scores = await scoreRows(sessions, query, unscored);
  const toShown = (message: Candidate): ShownMessage => {
    return { ...message, score: message.score ?? scores.get(message.row) ?? 0 };
  };
  return new Map(
    pages.flatMap(({ found, rootOf }) =>
      [...candidatesOf(found, rootOf)].map(([root, own]) => [root, own.map(toShown)]),
    ),
  );
}

/**
 * For roots of which only windows were found: the message of the best window that holds most of the
 * query.
 */
async function loadGuesses(
  sessions: SessionStore,
  query: ParsedQuery,
  pages: readonly PageSegment[],
  coverage: Coverage,
): Promise<ReadonlyMap<string, Guess>> {
  const guesses = pages.flatMap(({ segment, rootOf }) => [...guessesOf(segment.found, rootOf)]);
  const keys = guesses.flatMap(([, own]) => own);
  const [scored, states] = await Promise.all([
    scoreMessages(sessions, query, keys),
    loadStates(sessions, keys),
  ]);
  // Their newest words are only in windows, and some had none when they were stored.
  const late = keys.filter((key) => states.get(keyText(key))?.revised && !scored.has(keyText(key)));
  for (const message of await loadRows(sessions, late)) {
    scored.set(keyText(message), { ...message, score: 0 });
  }
  // A window's words are cut, so it may be found by forms that none of its messages is found by.
  const wordless = guesses.filter(([, keys]) => !keys.some((key) => scored.has(keyText(key))));
  const wordlessKeys = wordless.flatMap(([, keys]) => keys);
  for (const message of await loadMessages(sessions, wordlessKeys)) {
    scored.set(keyText(message), { ...message, score: 0 });
  }
  const asRevised = (message: ScoredMessage): ScoredMessage => {
    return { ...message, text: states.get(keyText(message))?.revised?.text ?? message.text };
  };
  const known = new Map([...scored].map(([key, message]) => [key, asRevised(message)]));
  const shareOf = ({ text }: ScoredMessage): number => coverage(text).share;
  return new Map(
    guesses.flatMap(([root, own]): [string, Guess][] => {
      const message = bestCovered(own, known, shareOf);
      if (message === undefined) return [];
      const isRevised = states.get(keyText(message))?.revised !== undefined;
      return [[root, { ...message, isRevised }]];
    }),
  );
}

/**
 * The guesses that are shown. If messages of the root were found since, a guess is shown only if it
 * holds more of the query than they do, by forms of words that only windows are found by, or if it
 * was revised: only windows hold its newest words.
 */
function guessesWorthShowing(
  guesses: ReadonlyMap<string, Guess>,
  pages: readonly PageSegment[],
  coverage: Coverage,
): ShownByRoot {
  const mostOf = new Map<string, number>();
  for (const { found, rootOf } of pages) {
    for (const { sessionId, text } of found.messages) {
      const root = rootOf(sessionId);
      if (root === undefined || !guesses.has(root)) continue;
      mostOf.set(root, Math.max(mostOf.get(root) ?? -1, coverage(text).share));
    }
  }
  const worth = [...guesses].filter(
    ([root, { text, isRevised }]) => isRevised || coverage(text).share > (mostOf.get(root) ?? -1),
  );
  return new Map(worth.map(([root, guess]) => [root, [guess]]));
}

/**
 * For roots of which only titles were found: what was said first in the session with that title.
 */
async function loadTitled(
  sessions: SessionStore,
  pages: readonly PageSegment[],
): Promise<ShownByRoot> {
  const titled = pages.flatMap(({ found, rootOf }) => [...titledSessionsOf(found, rootOf)]);
  const first = await loadFirstMessages(
    sessions,
    titled.map(([, sessionId]) => sessionId),
  );
  return new Map(
    titled.map(([root, sessionId]) => {
      const message = first.get(sessionId);
      return [root, message === undefined ? [] : [{ ...message, score: 0 }]];
    }),
  );
}

/** The found messages, with guesses before them if those hold more of the query. */
function withGuesses(
  found: readonly ShownMessage[],
  guesses: readonly ShownMessage[],
  coverage: Coverage,
): readonly ShownMessage[] {
  const others = guesses.filter(({ row }) => !found.some((each) => each.row === row));
  const most = coverage(found[0]?.text ?? "").share;
  const isMore = others.some(({ text }) => coverage(text).share > most);
  const both = isMore ? [...others, ...found] : [...found, ...others];
  return both.slice(0, matchesPerSession);
}

/** The message that holds most of the query; undefined if no text is stored. */
function bestCovered(
  keys: readonly MessageKey[],
  messages: ReadonlyMap<string, ScoredMessage>,
  shareOf: (message: ScoredMessage) => number,
): ScoredMessage | undefined {
  let best: ScoredMessage | undefined;
  let most = -1;
  for (const key of keys) {
    const message = messages.get(keyText(key));
    const held = message === undefined ? -1 : shareOf(message);
    if (held <= most) continue;
    best = message;
    most = held;
  }
  return best;
}

/** What is read about the messages that are shown. */
type Details = {
  /** By key. */
  readonly states: ReadonlyMap<string, MessageState>;
  /** By row. */
  readonly parts: ReadonlyMap<bigint, FoundMessage["parts"]>;
};

async function loadDetails(
  sessions: SessionStore,
  messages: readonly ShownMessage[],
): Promise<Details> {
  const [states, parts] = await Promise.all([
    loadStates(sessions, messages),
    loadParts(sessions, messages),
  ]);
  return { states, parts };
}

type Parent = Pick<SearchMatch, "parent_session_id" | "parent_message_id">;

/** Where the session of a match is attached below the topmost one, as far as that is stored. */
function parentOf({ sessionId }: ShownMessage, topmost: string, roots: Roots): Parent {
  const labels = roots.labels(sessionId);
  if (sessionId === topmost || labels === undefined || labels.parentId === null) return {};
  if (roots.labels(labels.parentId) === undefined) return {};
  return {
    parent_session_id: labels.parentId,
    ...(labels.parentMessageId !== null && { parent_message_id: labels.parentMessageId }),
  };
}

function toMatch(
  { score, similarity, ...message }: ShownMessage,
  { states, parts }: Details,
  parent: Parent,
  highlighter: Highlighter,
): SearchMatch {
  const state = states.get(keyText(message));
  const { text, role, timestamp } = state?.revised ?? message;
  const shownParts = state?.revised?.parts ?? parts.get(message.row);
  return {
    message_id: message.id,
    session_id: message.sessionId,
    role,
    timestamp: toRfc3339(timestamp),
    ...parent,
    score: rounded(score),
    ...(similarity !== undefined && { similarity: rounded(similarity) }),
    ...(text.length <= maxWholeTextChars ? { text } : { prefix: prefixOf(text, prefixChars) }),
    snippet: toSnippet(text, highlighter),
    ...(role === "user" && { parts_summary: shownParts ?? [] }),
    ...(state?.revised !== undefined && { revised: true as const }),
    ...(state?.isRemoved && { removed: true as const }),
  };
}
