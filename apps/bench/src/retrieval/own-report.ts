import { type Bar, categories } from "./own.ts";
import { type AnsweredQuestion, type Score, scoreOf } from "./score.ts";

export type Miss = {
  readonly id: string;
  readonly query: string;
  readonly wanted: readonly string[];
  readonly rank: number | undefined;
  readonly first: string;
};

/** Our own set: scores by category, and every question that was not answered first. */
export type OwnReport = {
  readonly byCategory: readonly {
    readonly category: string;
    readonly bar: Bar;
    readonly score: Score;
    readonly baseline: Score;
    /** By words and meaning, if there was an embedder. */
    readonly hybrid?: Score;
  }[];
  readonly misses: readonly Miss[];
};

/**
 * @param setOf - The set that a session of another one comes from; what was said there is not ours.
 */
export function ownReport(
  rankings: ReadonlyMap<string, readonly AnsweredQuestion[]>,
  setOf: (session: string) => string | undefined,
): OwnReport {
  const ours = byCategory(rankings.get("pond") ?? []);
  const theirs = byCategory(rankings.get("FTS5 unicode61, messages") ?? []);
  const byMeaning = byCategory(rankings.get("pond, hybrid") ?? []);
  return {
    byCategory: [...categories].map(([category, bar]) => ({
      ...{ category, bar },
      score: scoreOf(ours.get(category) ?? []),
      baseline: scoreOf(theirs.get(category) ?? []),
      ...(byMeaning.has(category) && { hybrid: scoreOf(byMeaning.get(category) ?? []) }),
    })),
    misses: [...ours.values()].flat().flatMap((asked) => toMiss(asked, setOf)),
  };
}

export function byCategory(
  asked: readonly AnsweredQuestion[],
): ReadonlyMap<string | undefined, AnsweredQuestion[]> {
  return Map.groupBy(asked, ({ question }) => question.category);
}

function toMiss(
  { question: { id, text, sessions }, rank, sessions: [first] }: AnsweredQuestion,
  setOf: (session: string) => string | undefined,
): Miss[] {
  if (rank === 1) return [];
  const best = first === undefined ? "nothing" : (setOf(first) ?? first);
  return [{ id, query: text, wanted: [...sessions], rank, first: best }];
}
