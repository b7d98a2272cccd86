import type { Embedder } from "@pond/embed";
import { type SearchRequest, type SessionMatches, search } from "@pond/search";
import type { SessionStore } from "@pond/sessions";
import type { Answer, Retriever } from "./score.ts";

const sessionLimit = 10;
/** How many sessions of the whole answer are looked at in an arm's own ranking. */
const armSessionLimit = 100;

type Options = { readonly embedder?: Embedder | undefined };

/** Search as a user has it. */
export function pond(sessions: SessionStore, options: Options = {}): Retriever {
  return async (query): Promise<Answer> => {
    const answer = await search(sessions, { query, limit: sessionLimit }, options);
    return {
      roots: answer.sessions.map(({ root_session_id: root }) => root),
      messages: answer.sessions.map(shownOf),
    };
  };
}

function shownOf({ root_session_id: root, matches }: SessionMatches): string[] {
  return matches.map(({ message_id: id }) => `${root}/${id}`);
}

/** What each arm alone would answer, out of all arms that were asked once. */
export async function answersOfArms(
  sessions: SessionStore,
  query: string,
  options: Options = {},
): Promise<ReadonlyMap<string, Answer>> {
  const request: SearchRequest = { query, limit: armSessionLimit, explain: true };
  const { explanation } = await search(sessions, request, options);
  return new Map(
    (explanation?.arms ?? []).map(({ name, contributions }) => {
      const ranked = Object.entries(contributions).toSorted(([, left], [, right]) => right - left);
      return [name, { roots: ranked.slice(0, sessionLimit).map(([root]) => root) }];
    }),
  );
}
