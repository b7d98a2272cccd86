import type { SessionStore } from "@pond/sessions";
import { toBoundsCheck } from "./bounds.ts";
import { type Found, keysOf, sessionIdsOf } from "./candidates.ts";
import { sessionsWanted } from "./collect-hits.ts";
import { toCoverage } from "./coverage.ts";
import type { Scope } from "./filter.ts";
import { loadFirstMessages } from "./first-messages.ts";
import type { WindowHit } from "./full-text.ts";
import { keyText, loadMessages, type MessageKey } from "./message.ts";
import { contentTerms, hasBounds, type ParsedQuery } from "./query.ts";

/** What was found, as far as it may be listed. */
export type CheckedHits = {
  readonly found: Found;
  /** The sessions whose roots are listed; for the others, windows only vote. */
  readonly listed: ReadonlySet<string>;
  /** The sessions whose windows were examined: they need not be asked for again. */
  readonly examined: ReadonlySet<string>;
};

/**
 * Decides what windows may list if the bounds are on messages. If messages fill a page, windows
 * only vote. Otherwise their messages are read, and those in bounds that hold a word of the query
 * count. A title counts if a message of its session is in bounds.
 */
export async function checkWindows(
  sessions: SessionStore,
  query: ParsedQuery,
  found: Found,
  {
    mustCheckWindows,
    minScore,
    scope,
  }: { readonly mustCheckWindows: boolean; readonly minScore: number; readonly scope: Scope },
): Promise<CheckedHits> {
  const examined = sessionIdsOf(found);
  if (!mustCheckWindows) return { found, listed: examined, examined };
  const provenIds = sessionIdsOf({ ...found, windows: [] });
  // What only windows find has no score.
  if (minScore > 0 || provenIds.size >= sessionsWanted)
    return { found, listed: provenIds, examined: provenIds };
  const others = found.windows.filter(({ sessionId }) => !provenIds.has(sessionId));
  const windows = await withMessagesInBounds(sessions, query, scope, others);
  const voting = found.windows.filter(({ sessionId }) => provenIds.has(sessionId));
  const within = { ...found, windows: [...voting, ...windows] };
  return { found: within, listed: sessionIdsOf(within), examined };
}

/** The windows that have messages in bounds, reduced to those messages. */
async function withMessagesInBounds(
  sessions: SessionStore,
  query: ParsedQuery,
  { messages: scope }: Scope,
  windows: readonly WindowHit[],
): Promise<WindowHit[]> {
  const messages = await loadMessages(sessions, windows.flatMap(keysOf), scope);
  const coverage = toCoverage({ terms: contentTerms(query.terms) });
  const meetsBounds = toBoundsCheck(query);
  const within = new Set(
    messages
      .filter(({ text }) => coverage(text).share > 0 && meetsBounds(text))
      .map((message) => keyText(message)),
  );
  // It is not known whether a title holds what is required.
  const titled = hasBounds(query) ? [] : windows.filter((each) => keysOf(each).length === 0);
  const first = await loadFirstMessages(
    sessions,
    titled.map(({ sessionId }) => sessionId),
    scope,
  );
  const keysInBounds = (window: WindowHit): MessageKey[] => {
    const keys = keysOf(window);
    const said = first.get(window.sessionId);
    if (keys.length === 0) return said === undefined ? [] : [said];
    return keys.filter((key) => within.has(keyText(key)));
  };
  return windows.flatMap((window) => {
    const ids = keysInBounds(window).map(({ id }) => id);
    return ids.length > 0 ? [{ ...window, messageIds: JSON.stringify(ids) }] : [];
  });
}
