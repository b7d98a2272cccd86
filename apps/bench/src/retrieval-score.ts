import type { Question } from "./retrieval-sets.ts";

/** What a retriever answered: root sessions, best first, and the messages shown of each. */
export type Answer = {
  readonly sessions: readonly string[];
  readonly messages?: readonly (readonly string[])[];
};

export type Retriever = (question: string) => Promise<Answer>;

/** Shares in percent, times in milliseconds. */
export type Score = {
  readonly hit1: number;
  readonly hit5: number;
  readonly hit10: number;
  readonly meanReciprocalRank: number;
  /** A message that answers is shown in the first five sessions. */
  readonly shown5: number;
  readonly zeroHits: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
};

/** Asks every question as it was written. */
export async function scoreRetriever(
  questions: readonly Question[],
  retrieve: Retriever,
): Promise<Score> {
  const sums = { hit1: 0, hit5: 0, hit10: 0, reciprocal: 0, shown5: 0, zeroHits: 0 };
  const times: number[] = [];
  for (const { text, sessions, messages } of questions) {
    const startedMs = performance.now();
    const answer = await retrieve(text);
    times.push(performance.now() - startedMs);
    const rank = answer.sessions.findIndex((id) => sessions.has(id));
    if (answer.sessions.length === 0) sums.zeroHits += 1;
    if (rank === 0) sums.hit1 += 1;
    if (rank >= 0 && rank < 5) sums.hit5 += 1;
    if (rank >= 0 && rank < 10) sums.hit10 += 1;
    if (rank >= 0) sums.reciprocal += 1 / (rank + 1);
    const shown = answer.messages?.slice(0, 5).flat() ?? [];
    if (shown.some((id) => messages.has(id))) sums.shown5 += 1;
  }
  times.sort((left, right) => left - right);
  const share = (sum: number): number => Math.round((1000 * sum) / questions.length) / 10;
  const at = (part: number): number => times[Math.floor(times.length * part)] ?? 0;
  return {
    hit1: share(sums.hit1),
    hit5: share(sums.hit5),
    hit10: share(sums.hit10),
    meanReciprocalRank: share(sums.reciprocal),
    shown5: share(sums.shown5),
    zeroHits: share(sums.zeroHits),
    p50Ms: Math.round(at(0.5) * 10) / 10,
    p95Ms: Math.round(at(0.95) * 10) / 10,
  };
}
