import { lengthOf } from "./cut.ts";

/** An answer that lists sessions, and leads on from the last of them. */
type Listing<Session extends object> = { readonly sessions: readonly Session[] };

/** Asks for at most so many sessions; left out, for as many as the caller asked for. */
export type Find<Response> = (limit?: number) => Promise<Response>;

/**
 * Asks so that the reply takes about `maxCharacters`. Sessions say less before some are left to the
 * next page; for that the question is repeated with a limit, so that the answer leads on after the
 * last session.
 *
 * @param forms - Of a reply, the longest first.
 */
export async function fitSessions<
  Session extends object,
  Response extends Listing<Session>,
  Reply extends Listing<Session>,
>(
  find: Find<Response>,
  maxCharacters: number,
  forms: readonly ((response: Response) => Reply)[],
  shortestForm: (response: Response) => Reply,
): Promise<Reply> {
  for (let limit: number | undefined; ; ) {
    const response = await find(limit);
    const fitting = forms
      .map((form) => form(response))
      .find((reply) => lengthOf(reply) <= maxCharacters);
    if (fitting) return fitting;
    const shortest = shortestForm(response);
    if (lengthOf(shortest) <= maxCharacters) return shortest;
    const count = countFitting(shortest, maxCharacters);
    if (count >= response.sessions.length) return shortest;
    limit = count;
  }
}

/** How many sessions of the reply fit; at least one. */
function countFitting(reply: Listing<object>, maxCharacters: number): number {
  let left = maxCharacters - lengthOf({ ...reply, sessions: [] });
  let count = 0;
  for (const session of reply.sessions) {
    left -= lengthOf(session) + 1;
    if (left < 0) break;
    count += 1;
  }
  return Math.max(1, count);
}
