import { type SessionStore, similarProjects } from "@pond/sessions";
import { toAnswer } from "./answer.ts";
import { countInScope } from "./count-in-scope.ts";
import { didYouMean } from "./did-you-mean.ts";
import { QueryError } from "./errors.ts";
import { explain } from "./explain.ts";
import { refuseUnknown, type Scope, toScope } from "./filter.ts";
import { indexedLiteral } from "./literal.ts";
import { isWholeMatch } from "./literal-hits.ts";
import { maxSessions, nextToken, type Page, rootDigest, toPage } from "./page.ts";
import type { ChosenRoot } from "./page-segments.ts";
import { hasBounds, type ParsedQuery, parseQuery, parseVerbatim } from "./query.ts";
import type { SearchOptions, SearchRequest, SearchResponse } from "./request.ts";
import { type Segment, segments } from "./segments.ts";
import { loadSessionCache } from "./session-cache.ts";
import { type VectorResult, vectorArm } from "./vector.ts";

/**
 * Finds messages by their words, and by meaning if they are embedded. Groups them by root session,
 * best first.
 *
 * - Filters are pushed into the indexes (`search-prefilter-pushdown`).
 * - Sub-agents count for the session above them.
 * - Untouched copies in other clients are left out if their originals are found with them or
 *   before.
 * - At most three matches of a session are shown.
 * - For words that no message holds, an answer names similar ones. It never searches for those.
 * - A model that fails costs its part of the answer, and a warning says so.
 *
 * @throws {QueryError} if the query asks for nothing.
 * @throws {FilterError} if a filter is unknown or makes no sense, or `after` belongs to another
 * search.
 * @throws the reason of `signal`, if that is aborted.
 */
export async function search(
  sessions: SessionStore,
  request: SearchRequest,
  options: SearchOptions = {},
): Promise<SearchResponse> {
  const startedMs = performance.now();
  const { signal } = options;
  signal?.throwIfAborted();
  const raw = queryText(request);
  const parsed = parseQuery(raw);
  const scope = toScope(request);
  const page = toPage(request);
  const asked = vectorArm(sessions, parsed, { raw, where: scope.messages }, options);
  const cache = loadSessionCache(sessions);
  const answerTo = async (
    query: ParsedQuery,
    vectorResult: Promise<VectorResult>,
  ): Promise<QueryPage> => {
    const ranking = segments(sessions, query, scope, { ...page, vectorResult, cache });
    return { ...(await readPage(ranking, page, signal)), query };
  };
  const answer = async (): Promise<QueryPage> => {
    const first = await answerTo(parsed, asked);
    if (!hasBounds(parsed)) return first;
    const verbatim = parseVerbatim(raw);
    const isFlag = parsed.hasFlag && (await isHeld(sessions, verbatim, scope));
    if (areWordsFound(first) && !isFlag) return first;
    // Messages near to it in meaning need not hold it.
    const typed = await answerTo(verbatim, Promise.resolve({ hits: [] }));
    return areWordsFound(typed) ? typed : first;
  };
  const [{ query, chosen, read, shown, hasMore }, total, vectorResult, loadedCache] =
    await Promise.all([answer(), countInScope(sessions, scope.messages, request), asked, cache]);
  if (total === 0) await refuseUnknown(sessions, request);
  // A folder in which nobody has worked yet is no mistake.
  const similar =
    total === 0 && request.project !== undefined
      ? await similarProjects(sessions, request.project)
      : undefined;
  const [answered, other] = await Promise.all([
    toAnswer(sessions, query, chosen, {
      ...{ cache: loadedCache, where: scope.messages, minScore: page.minScore },
      withTitles: options.withTitles,
    }),
    request.after === undefined
      ? didYouMean(sessions, raw, query, { where: scope.messages, found: read })
      : undefined,
  ]);
  const explanation = request.explain
    ? await explain(sessions, query, scope, { read, answered, vectorResult })
    : undefined;
  signal?.throwIfAborted();
  return {
    mode: vectorResult.asked ? "hybrid" : "full_text",
    total_in_scope: total,
    sessions: answered.map(({ matches }) => matches),
    ...(hasMore && shown.size < maxSessions && { next: nextToken(request, shown) }),
    ...(other !== undefined && { did_you_mean: other }),
    ...(similar !== undefined && { similar_projects: similar }),
    took_ms: Math.round((performance.now() - startedMs) * 10) / 10,
    ...(vectorResult.warning && { warnings: [vectorResult.warning] }),
    ...(explanation && { explanation }),
  };
}

// A pasted log is not a question: the rest of it is not searched for.
const maxQueryChars = 16_384;

/** The part of a query that is read. */
function queryText({ query }: SearchRequest): string {
  if (typeof query !== "string") throw new QueryError("it is not a string");
  return query.slice(0, maxQueryChars);
}

type ReadPage = {
  readonly chosen: readonly ChosenRoot[];
  readonly read: readonly Segment[];
  /** Digests of the roots of this page and all earlier ones. */
  readonly shown: ReadonlySet<number>;
  readonly hasMore: boolean;
};

/** A page that was read, and the query. */
type QueryPage = ReadPage & { readonly query: ParsedQuery };

/** True if the index finds a message that holds a verbatim query as it stands. */
async function isHeld(
  sessions: SessionStore,
  verbatim: ParsedQuery,
  { messages }: Scope,
): Promise<boolean> {
  const [literal = ""] = verbatim.literals;
  const { hits } = await indexedLiteral(sessions, verbatim, literal, messages);
  return hits.some(isWholeMatch);
}

/** True if more was found than the messages nearest in meaning, of which there are always some. */
function areWordsFound({ read }: QueryPage): boolean {
  return read.some(({ ranked }) =>
    ranked.some(({ votes }) => "message" in votes || "literal" in votes || !("vector" in votes)),
  );
}

/** Reads the ranking until the page is full, and then on to see whether there is more. */
async function readPage(
  ranking: AsyncIterable<Segment>,
  { limit, shown: before }: Page,
  signal: AbortSignal | undefined,
): Promise<ReadPage> {
  const shown = new Set(before);
  const chosen: ChosenRoot[] = [];
  const read: Segment[] = [];
  for await (const segment of ranking) {
    signal?.throwIfAborted();
    read.push(segment);
    for (const root of segment.ranked) {
      const digest = rootDigest(root.rootId);
      if (shown.has(digest)) continue;
      if (chosen.length === limit) return { chosen, read, shown, hasMore: true };
      chosen.push({ root, segment });
      shown.add(digest);
    }
  }
  return { chosen, read, shown, hasMore: false };
}
