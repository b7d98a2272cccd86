import type { FullTextQuery as LanceQuery } from "@lancedb/lancedb";
import { loadLance } from "../engine/lance.ts";

/** A query for a full-text column. Terms are cut as the index cuts text. */
export type FullTextQuery =
  | {
      readonly terms: string;
      /** Default: any of them. */
      readonly operator?: "or" | "and";
      /** Factor for its score. Default: 1. */
      readonly boost?: number;
      /**
       * In how many letters a word may differ that is found in place of a term; its first letter is
       * the same. Only words that the index holds are found so, and for terms of at most 32
       * characters. Default: 0.
       */
      readonly fuzziness?: 0 | 1 | 2;
    }
  | { readonly phrase: string }
  | {
      readonly must?: readonly FullTextQuery[];
      readonly should?: readonly FullTextQuery[];
      readonly mustNot?: readonly FullTextQuery[];
    };

export function toLanceQuery(column: string, query: FullTextQuery): LanceQuery {
  const { BooleanQuery, MatchQuery, Occur, Operator, PhraseQuery } = loadLance();
  if ("terms" in query) {
    return new MatchQuery(query.terms, column, {
      operator: query.operator === "and" ? Operator.And : Operator.Or,
      boost: query.boost ?? 1,
      fuzziness: query.fuzziness ?? 0,
      prefixLength: 1,
    });
  }
  if ("phrase" in query) return new PhraseQuery(query.phrase, column);
  const clauses = [
    [Occur.Must, query.must ?? []],
    [Occur.Should, query.should ?? []],
    [Occur.MustNot, query.mustNot ?? []],
  ] as const;
  return new BooleanQuery(
    clauses.flatMap(([occur, queries]) =>
      queries.map((each): [typeof occur, LanceQuery] => [occur, toLanceQuery(column, each)]),
    ),
  );
}
