import { toRfc3339 } from "@pond/canonical";
import type { SessionStore } from "@pond/sessions";
import { eq } from "@pond/substrate";
import { FilterError } from "./errors.ts";
import { explain } from "./explain.ts";
import { type Scope, toScope } from "./filter.ts";
import { type Hit, messageArm, type WindowHit, windowArm } from "./full-text.ts";
import { type Arm, fuse, type RankedRoot } from "./fuse.ts";
import { countInScope } from "./in-scope.ts";
import { type LiteralHit, literalArm, meetsBounds, substringArm } from "./literal.ts";
import { candidatesOf, toMatch, toMatches } from "./matches.ts";
import { keyText, loadPartSummaries, loadTexts, type ShownText } from "./payload.ts";
import { type ParsedQuery, parseQuery } from "./query.ts";
import type { SearchRequest, SearchResponse, SessionMatches } from "./request.ts";
import { loadRoots, type Roots } from "./roots.ts";
import { toHighlighter } from "./snippet.ts";
import { weights } from "./weights.ts";

const defaultLimit = 10;
const maxLimit = 100;

type Found = {
  readonly messages: readonly Hit[];
  readonly windows: readonly WindowHit[];
  readonly literals: readonly LiteralHit[];
};

/**
 * Finds messages by their words and groups them by root session, best first.
 *
 * Filters are pushed into the indexes (`search-prefilter-pushdown`); sub-agents count for the
 * session above them; at most three matches a session are shown.
 *
 * @throws {QueryError} where the query asks for nothing.
 * @throws {FilterError} where a filter is unknown or makes no sense.
 */
export async function search(
  sessions: SessionStore,
  request: SearchRequest,
): Promise<SearchResponse> {
  const startedMs = performance.now();
  const query = parseQuery(request.query);
  const scope = toScope(request);
  const page = pageOf(request);
  const [found, total] = await Promise.all([
    find(sessions, query, scope, request, page.offset + page.limit),
    countInScope(sessions, scope.messages, scopeKeyOf(request)),
  ]);
  if (total === 0) await refuseUnknown(sessions, request);
  const roots = await loadRoots(sessions, sessionIdsOf(found));
  const arms = armsOf(found);
  const ranked = rank(arms, found, roots, mayGuess(request, query));
  const chosen = ranked.slice(page.offset, page.offset + page.limit);
  const most = arms.reduce((sum, { weight, hits }) => sum + (hits.length > 0 ? weight : 0), 0);
  const groups = await show(sessions, { query, scope, found, roots, chosen, most });
  const isMore = ranked.length > page.offset + page.limit;
  return {
    mode: "full_text",
    total_in_scope: total,
    sessions: groups,
    ...(isMore && { next: String(page.offset + page.limit) }),
    took_ms: Math.round((performance.now() - startedMs) * 10) / 10,
    ...(request.explain && { explanation: await explain(sessions, query, scope, arms, ranked) }),
  };
}

async function find(
  sessions: SessionStore,
  query: ParsedQuery,
  scope: Scope,
  { min_score: minScore = 0 }: SearchRequest,
  wanted: number,
): Promise<Found> {
  const onMessages = { where: scope.messages, minScore, sessions: wanted };
  const onWindows = { ...onMessages, where: scope.windows };
  const hasWords = query.terms.length > 0;
  const [messages, windows, literals] = await Promise.all([
    hasWords ? messageArm(sessions, query, onMessages) : [],
    hasWords ? windowArm(sessions, query, onWindows) : [],
    literalArm(sessions, query, onMessages),
  ]);
  if (messages.length + windows.length + literals.length > 0)
    return { messages, windows, literals };
  // Nothing by words: perhaps part of one, or only punctuation.
  return {
    messages,
    windows,
    literals: await substringArm(sessions, query, query.text, onMessages),
  };
}

function armsOf({ messages, windows, literals }: Found): Arm[] {
  const { messageDecay, windowDecay } = weights;
  return [
    { name: "message", weight: weights.message, decay: messageDecay, hits: messages },
    { name: "window", weight: weights.window, decay: windowDecay, hits: windows },
    { name: "literal", weight: weights.literal, decay: 0, hits: literals, isShare: true },
  ];
}

function rank(
  arms: readonly Arm[],
  { messages, literals }: Found,
  roots: Roots,
  isGuessAllowed: boolean,
): RankedRoot[] {
  const rootOf = (id: string): string | undefined => roots.rootOf(id);
  const ranked = fuse(arms, rootOf, (left, right) => newerFirst(roots, left, right));
  if (isGuessAllowed) return ranked;
  const sure = new Set([...messages, ...literals].map(({ sessionId }) => rootOf(sessionId)));
  return ranked.filter(({ rootId }) => sure.has(rootId));
}

/** True where any message of a window that was found may be shown for it. */
function mayGuess({ role, since, until }: SearchRequest, query: ParsedQuery): boolean {
  const isBounded = role !== undefined || since !== undefined || until !== undefined;
  return !isBounded && query.required.length + query.excluded.length === 0;
}

/** Reads what the chosen sessions show, all at once. */
async function show(
  sessions: SessionStore,
  {
    query,
    scope,
    found,
    roots,
    chosen,
    most,
  }: {
    readonly query: ParsedQuery;
    readonly scope: Scope;
    readonly found: Found;
    readonly roots: Roots;
    readonly chosen: readonly RankedRoot[];
    /** What a session could score at most. */
    readonly most: number;
  },
): Promise<SessionMatches[]> {
  const { messages, windows, literals } = found;
  const byRoot = candidatesOf(messages, windows, literals, (id) => roots.rootOf(id));
  const keys = chosen.flatMap(({ rootId }) => byRoot.get(rootId) ?? []);
  const texts = inBounds(await loadTexts(sessions, keys, scope.messages), query);
  const highlighter = toHighlighter(query);
  const groups = chosen.map((root) => ({
    root,
    best: toMatches(byRoot.get(root.rootId) ?? [], texts, highlighter),
  }));
  const users = groups.flatMap(({ best }) => best.filter(({ shown }) => shown.role === "user"));
  const parts = await loadPartSummaries(sessions, users);
  return groups.flatMap(({ root, best }): SessionMatches[] => {
    const labels = roots.labels(root.rootId);
    const first = best[0];
    if (labels === undefined || first === undefined) return [];
    return [
      {
        session_id: first.sessionId,
        root_session_id: root.rootId,
        source_agent: labels.sourceAgent,
        project: labels.project,
        created_at: toRfc3339(labels.createdAt),
        score: Math.round((root.score / most) * 1e4) / 1e4,
        matches: best.map((each) => toMatch(each, highlighter, parts.get(keyText(each)))),
      },
    ];
  });
}

/** Leaves out what a window held together but no message alone meets. */
function inBounds(texts: Map<string, ShownText>, query: ParsedQuery): Map<string, ShownText> {
  if (query.required.length + query.excluded.length === 0) return texts;
  return new Map([...texts].filter(([, { text }]) => meetsBounds(text, query)));
}

function newerFirst(roots: Roots, left: string, right: string): number {
  const [one = 0n, other = 0n] = [roots.labels(left)?.createdAt, roots.labels(right)?.createdAt];
  if (one !== other) return one > other ? -1 : 1;
  return left < right ? -1 : 1;
}

function sessionIdsOf({ messages, windows, literals }: Found): Set<string> {
  return new Set([...messages, ...windows, ...literals].map(({ sessionId }) => sessionId));
}

function scopeKeyOf({ project, session, agent, role, since, until }: SearchRequest): string {
  return JSON.stringify([project, session, agent, role, since, until]);
}

function pageOf({ limit = defaultLimit, after, min_score: least }: SearchRequest): {
  readonly limit: number;
  readonly offset: number;
} {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new FilterError("limit", `${limit} is not from 1 to ${maxLimit}`);
  }
  if (least !== undefined && !(Number.isFinite(least) && least >= 0)) {
    throw new FilterError("min_score", `${least} is no score; it is 0 or more`);
  }
  if (after !== undefined && !/^\d{1,6}$/.test(after)) {
    throw new FilterError("after", "it is not the `next` of an answer");
  }
  return { limit, offset: after === undefined ? 0 : Number(after) };
}

/** Nothing is in scope: says so where a filter names what the store has never seen. */
async function refuseUnknown(
  { store }: SessionStore,
  { agent, session }: SearchRequest,
): Promise<void> {
  const table = store.table("sessions");
  if (session !== undefined && (await table.count(eq("id", session))) === 0) {
    throw new FilterError("session", `no session ${session} is stored`);
  }
  if (agent === undefined || (await table.count(eq("source_agent", agent))) > 0) return;
  const agents = new Set<string>();
  for await (const rows of table.scan({ columns: ["source_agent"] })) {
    for (const row of rows) agents.add(String(row["source_agent"]));
  }
  const stored = agents.size > 0 ? [...agents].sort().join(", ") : "none";
  throw new FilterError("agent", `no session of "${agent}" is stored; there are: ${stored}`);
}
