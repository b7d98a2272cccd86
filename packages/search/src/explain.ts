import type { SessionStore } from "@pond/sessions";
import type { FullTextOptions, NearestOptions } from "@pond/substrate";
import type { AnsweredRoot } from "./answer.ts";
import type { Scope } from "./filter.ts";
import { literalQuery, messageQuery, windowQuery } from "./full-text.ts";
import type { ParsedQuery } from "./query.ts";
import type { Explanation } from "./request.ts";
import { rounded } from "./scores.ts";
import type { Segment } from "./segments.ts";
import type { VectorResult } from "./vector.ts";
import { wordsOf } from "./words.ts";

const maxHitsShown = 20;

/**
 * Explains how a query was read, what each arm contributed to the sessions shown, and Lance's
 * plans.
 */
export async function explain(
  sessions: SessionStore,
  query: ParsedQuery,
  scope: Scope,
  {
    read,
    answered,
    vectorResult,
  }: {
    readonly read: readonly Segment[];
    readonly answered: readonly AnsweredRoot[];
    readonly vectorResult: VectorResult;
  },
): Promise<Explanation> {
  const arms = read[0]?.arms.filter(({ name }) => name !== "vector" || vectorResult.asked) ?? [];
  return {
    terms: query.terms.map(({ word, weight }) => `${word}*${weight}`),
    literals: query.literals,
    required: query.required,
    excluded: query.excluded,
    arms: arms.map(({ name, weight }) => {
      const scores = read.flatMap((segment) => scoresOf(segment, name));
      return {
        ...{ name, weight, hits: scores.length },
        best: rounded(scores.reduce((best, score) => Math.max(best, score), 0)),
        sessions: perRoot(answered, ({ votes }) => votes[name]),
        contributions: perRoot(answered, ({ votes }, { scale }) => {
          const vote = votes[name];
          return vote === undefined ? undefined : vote * weight * scale;
        }),
      };
    }),
    ...(vectorResult.asked && { nearest: nearestShown(vectorResult) }),
    plans: await plansOf(sessions, query, scope, vectorResult.asked),
  };
}

function scoresOf({ arms }: Segment, name: string): number[] {
  return arms.flatMap((arm) => (arm.name === name ? arm.hits.map(({ score }) => score) : []));
}

function perRoot(
  answered: readonly AnsweredRoot[],
  toNumber: (root: AnsweredRoot["root"], segment: Segment) => number | undefined,
): Record<string, number> {
  return Object.fromEntries(
    answered.flatMap(({ root, segment, matches }) => {
      const value = toNumber(root, segment);
      return value === undefined ? [] : [[matches.root_session_id, rounded(value)]];
    }),
  );
}

function nearestShown({ hits }: VectorResult): NonNullable<Explanation["nearest"]> {
  return hits.slice(0, maxHitsShown).map(({ sessionId, id, similarity }) => {
    return { session_id: sessionId, message_id: id, similarity: rounded(similarity) };
  });
}

/** Runs each arm's query once more with few rows. */
async function plansOf(
  { store }: SessionStore,
  query: ParsedQuery,
  scope: Scope,
  nearest: NearestOptions | undefined,
): Promise<Record<string, string>> {
  const columns = ["session_id", "id"];
  const limit = maxHitsShown;
  const onMessages = { column: "search_text", where: scope.messages, columns, limit };
  const onWindows = { column: "text", where: scope.windows, columns, limit };
  const literal = query.literals.find((each) => wordsOf(each).length > 0);
  const asked: [string, string, FullTextOptions | NearestOptions][] = [];
  if (query.terms.length > 0) {
    asked.push(["message", "messages", { ...onMessages, query: messageQuery(query) }]);
    asked.push(["window", "windows", { ...onWindows, query: windowQuery(query) }]);
  }
  if (literal !== undefined) {
    asked.push(["literal", "messages", { ...onMessages, query: literalQuery(query, literal) }]);
  }
  if (nearest !== undefined) asked.push(["vector", "messages", { ...nearest, limit }]);
  const plans = asked.map(async ([arm, table, options]): Promise<[string, string]> => {
    return [arm, await store.table(table).explain(options)];
  });
  return Object.fromEntries(await Promise.all(plans));
}
