import type { SessionStore } from "@pond/sessions";
import type { Scope } from "./filter.ts";
import { messageQuery, windowQuery } from "./full-text.ts";
import type { Arm, RankedRoot } from "./fuse.ts";
import type { ParsedQuery } from "./query.ts";
import type { Explanation } from "./request.ts";

const sessionsShown = 20;

/** How a query was read, what each arm said of the best sessions, and Lance's plans. */
export async function explain(
  { store }: SessionStore,
  query: ParsedQuery,
  scope: Scope,
  arms: readonly Arm[],
  ranked: readonly RankedRoot[],
): Promise<Explanation> {
  const columns = ["session_id", "id"];
  const limit = sessionsShown;
  const [message, window] = await Promise.all([
    store.table("messages").explain({
      ...{ column: "search_text", query: messageQuery(query), where: scope.messages },
      ...{ columns, limit },
    }),
    store.table("windows").explain({
      ...{ column: "text", query: windowQuery(query), where: scope.windows },
      ...{ columns, limit },
    }),
  ]);
  return {
    terms: query.terms.map(({ word, weight }) => `${word}*${weight}`),
    literals: query.literals,
    required: query.required,
    excluded: query.excluded,
    arms: arms.map(({ name, hits }) => ({
      name,
      hits: hits.length,
      best: hits.reduce((best, { score }) => Math.max(best, score), 0),
      sessions: Object.fromEntries(
        ranked.slice(0, sessionsShown).flatMap(({ rootId, votes }) => {
          const vote = votes[name];
          return vote === undefined ? [] : [[rootId, Math.round(vote * 1e4) / 1e4]];
        }),
      ),
    })),
    plans: { message, window },
  };
}
