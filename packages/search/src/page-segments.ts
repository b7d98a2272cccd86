import type { SessionStore } from "@pond/sessions";
import { and, type Filter, not, oneOf, rowId } from "@pond/substrate";
import { candidatesOf, type Found, matchesPerSession, type RootOf } from "./candidates.ts";
import { bestMessages, type MessageHit } from "./full-text.ts";
import type { RankedRoot } from "./fuse.ts";
import type { ParsedQuery } from "./query.ts";
import { withMinScore } from "./scores.ts";
import type { Segment } from "./segments.ts";

/** A root on the page. */
export type ChosenRoot = {
  readonly root: RankedRoot;
  readonly segment: Segment;
};

/** What a page takes from one segment. */
export type PageSegment = {
  readonly segment: Segment;
  /** What was found in it, including what is added later. */
  readonly found: Found;
  /** The root of a session; undefined if that is not on the page. */
  readonly rootOf: RootOf;
};

/** The bounds of a search on the messages of a page. */
export type MessageBounds = { readonly where: Filter | undefined; readonly minScore: number };

// Reading more shows nothing that answers (apps/bench, shown@5), and each one takes time.
const pageDepth = 40;
// A message that holds far less of the query than the best of its session answers next to nothing.
const minShareOfBest = 1 / 3;

/** Splits the page by segment. */
export function pageSegmentsOf(chosen: readonly ChosenRoot[]): PageSegment[] {
  return [...Map.groupBy(chosen, ({ segment }) => segment)].map(([segment, own]) => {
    const shown = new Set(own.map(({ root }) => root.rootId));
    const rootOf = (id: string): string | undefined => {
      const root = segment.roots.rootOf(id);
      return root !== undefined && shown.has(root) ? root : undefined;
    };
    return { segment, found: segment.found, rootOf };
  });
}

/**
 * Adds the best messages of sessions for which fewer messages were found than are shown. In a whole
 * store, the message that answers a question is often not among the best sixty, although its
 * session is among the best ten. The order of sessions stays as it is.
 */
export async function withMoreMessages(
  sessions: SessionStore,
  query: ParsedQuery,
  { where, minScore }: MessageBounds,
  page: PageSegment,
): Promise<PageSegment> {
  const { segment, found, rootOf } = page;
  if (!segment.hasMore) return page;
  const known = candidatesOf(found, rootOf);
  const isIncomplete = (id: string): boolean => {
    const root = rootOf(id);
    return root !== undefined && (known.get(root)?.length ?? 0) < matchesPerSession;
  };
  const ids = [...segment.foundIn.values()].flat().filter(isIncomplete);
  if (ids.length === 0) return page;
  const incomplete = new Set(ids);
  const own = found.messages.filter(({ sessionId }) => incomplete.has(sessionId));
  // If there are many sessions, only the messages found before would be read again.
  const unread = not(
    oneOf(
      rowId,
      own.map(({ row }) => row),
    ),
  );
  const bounds = [oneOf("session_id", ids), ...(own.length > 0 ? [unread] : [])];
  const within = and(...(where ? [where] : []), ...bounds);
  const best = await bestMessages(sessions, query, within, pageDepth);
  const ofRoot = Map.groupBy([...found.messages, ...best], ({ sessionId }) => rootOf(sessionId));
  const most = new Map(
    [...ofRoot].map(([root, own]) => [root, Math.max(...own.map(({ rank }) => rank))]),
  );
  const isNear = ({ sessionId, rank }: MessageHit): boolean =>
    rank >= minShareOfBest * (most.get(rootOf(sessionId)) ?? 0);
  const messages = best.filter(isNear);
  const more = { messages, windows: [], literals: [], vectors: [] };
  const enough = await withMinScore(sessions, query, more, minScore);
  return { ...page, found: { ...found, messages: [...found.messages, ...enough.messages] } };
}
