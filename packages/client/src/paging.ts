import type { SessionPage, ShownMessage } from "@pond/wire";

/**
 * Yields the sessions of one page after the other.
 *
 * @throws What `noProgressError` makes, if a page leads to no other: asking on would never end.
 */
export async function* sessionPages<Session>(
  ask: (after: string | undefined) => Promise<Page<Session>>,
  first: string | undefined,
  noProgressError: () => Error,
): AsyncGenerator<Session, void, undefined> {
  for (let after = first; ; ) {
    const { sessions, next } = await ask(after);
    yield* sessions;
    if (next === undefined) return;
    if (next === after) throw noProgressError();
    after = next;
  }
}

type Page<Session> = { readonly sessions: readonly Session[]; readonly next?: string };

/**
 * Yields the messages of one page after the other.
 *
 * @throws As {@link sessionPages} does.
 */
export async function* messagePages(
  ask: (afterId: string | undefined) => Promise<SessionPage>,
  first: string | undefined,
  noProgressError: () => Error,
): AsyncGenerator<ShownMessage, void, undefined> {
  for (let afterId = first; ; ) {
    const { messages, messages_remaining: remaining } = await ask(afterId);
    yield* messages;
    if (remaining === 0) return;
    const last = messages.at(-1)?.id;
    if (last === undefined || last === afterId) throw noProgressError();
    afterId = last;
  }
}
