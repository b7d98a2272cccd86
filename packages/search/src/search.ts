import type { SessionStore } from "@pond/sessions";
import { toAnswer } from "./answer.ts";
import { candidatesOf, type Found } from "./candidates.ts";
import { explain } from "./explain.ts";
import { refuseUnknown, type Scope, toScope } from "./filter.ts";
import { messageArm, windowArm } from "./full-text.ts";
import { type Arm, fuse, type RankedRoot } from "./fuse.ts";
import { countInScope } from "./in-scope.ts";
import { literalArm, substringArm } from "./literal.ts";
import { toPage } from "./page.ts";
import { type ParsedQuery, parseQuery } from "./query.ts";
import type { SearchRequest, SearchResponse } from "./request.ts";
import { loadRoots, type Roots } from "./roots.ts";
import { weights } from "./weights.ts";

/**
 * Finds messages by their words and groups them by root session, best first.
 *
 * Filters are pushed into the indexes (`search-prefilter-pushdown`); sub-agents count for the
 * session above them; of one session at most three matches are shown.
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
  const page = toPage(request);
  const [found, total] = await Promise.all([
    find(sessions, query, scope, { minScore: request.min_score ?? 0, sessions: page.end }),
    countInScope(sessions, scope.messages, request),
  ]);
  if (total === 0) await refuseUnknown(sessions, request);
  const roots = await loadRoots(sessions, sessionIdsOf(found));
  const rootOf = (id: string): string | undefined => roots.rootOf(id);
  const arms = armsOf(found);
  const isSure = scope.isLoose || query.required.length + query.excluded.length > 0;
  const ranked = rank(arms, found, roots, isSure);
  const candidates = candidatesOf(found, rootOf);
  const chosen = ranked
    .slice(page.start, page.end)
    .map((root) => ({ root, candidates: candidates.get(root.rootId) ?? [] }));
  const most = arms.reduce((sum, { weight, hits }) => sum + (hits.length > 0 ? weight : 0), 0);
  const answer = await toAnswer(sessions, chosen, { query, scope, roots, most });
  return {
    mode: "full_text",
    total_in_scope: total,
    sessions: answer,
    ...(ranked.length > page.end && { next: String(page.end) }),
    took_ms: Math.round((performance.now() - startedMs) * 10) / 10,
    ...(request.explain && { explanation: await explain(sessions, query, scope, arms, ranked) }),
  };
}

/** Asks all arms at once. */
async function find(
  sessions: SessionStore,
  query: ParsedQuery,
  scope: Scope,
  bounds: { readonly minScore: number; readonly sessions: number },
): Promise<Found> {
  const onMessages = { ...bounds, where: scope.messages };
  const hasWords = query.terms.length > 0;
  const [messages, windows, literals] = await Promise.all([
    hasWords ? messageArm(sessions, query, onMessages) : [],
    hasWords ? windowArm(sessions, query, { ...bounds, where: scope.windows }) : [],
    literalArm(sessions, query, onMessages),
  ]);
  if (messages.length + windows.length + literals.length > 0)
    return { messages, windows, literals };
  // Nothing by words: perhaps a part of one, or a phrase of punctuation.
  const anywhere = await substringArm(sessions, query, query.text, onMessages);
  return { messages, windows, literals: anywhere };
}

function armsOf({ messages, windows, literals }: Found): Arm[] {
  const { messageDecay, windowDecay } = weights;
  const inSession = literals.map(({ key, share }) => ({ sessionId: key.sessionId, score: share }));
  return [
    {
      ...{ name: "message", weight: weights.message, decay: messageDecay },
      hits: messages.map(({ key, score }) => ({ sessionId: key.sessionId, score })),
    },
    { name: "window", weight: weights.window, decay: windowDecay, hits: windows },
    { name: "literal", weight: weights.literal, decay: 0, hits: inSession, isShare: true },
  ];
}

/**
 * @param isSure - Leave out sessions of which only a window was found: the bounds are on messages,
 * and none of the window's may meet them.
 */
function rank(
  arms: readonly Arm[],
  { messages, literals }: Found,
  roots: Roots,
  isSure: boolean,
): RankedRoot[] {
  const rootOf = (id: string): string | undefined => roots.rootOf(id);
  const ranked = fuse(arms, rootOf, (left, right) => roots.newerFirst(left, right));
  if (!isSure) return ranked;
  const sure = new Set([...messages, ...literals].map(({ key }) => rootOf(key.sessionId)));
  return ranked.filter(({ rootId }) => sure.has(rootId));
}

function sessionIdsOf({ messages, windows, literals }: Found): Set<string> {
  const ids = new Set(windows.map(({ sessionId }) => sessionId));
  for (const { key } of [...messages, ...literals]) ids.add(key.sessionId);
  return ids;
}
