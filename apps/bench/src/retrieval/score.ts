import type { Question } from "./set.ts";
import type { Haystack } from "./store.ts";

/** What a retriever answered: stored root sessions, best first, and the messages shown for each. */
export type Answer = {
  readonly roots: readonly string[];
  readonly messages?: readonly (readonly string[])[];
};

export type Retriever = (question: string) => Promise<Answer>;

/** A question together with its answer. */
export type AnsweredQuestion = {
  readonly question: Question;
  /** The rank of the first session that answers, from 1; undefined if none does. */
  readonly rank: number | undefined;
  /** Ids in the sets, best first; for other sessions the stored ids. */
  readonly sessions: readonly string[];
  /** True if a message that answers is shown in the first five sessions. */
  readonly isShown: boolean;
  readonly tookMs: number;
};

/** Shares in percent. */
export type Score = {
  readonly questions: number;
  readonly hit1: number;
  readonly hit5: number;
  readonly hit10: number;
  readonly meanReciprocalRank: number;
  readonly shown5: number;
  readonly zeroHits: number;
};

/** Asks every question as it was written. */
export async function askAll(
  questions: readonly Question[],
  retrieve: Retriever,
  { setIds, messageIds }: Pick<Haystack, "setIds" | "messageIds">,
): Promise<AnsweredQuestion[]> {
  const asked: AnsweredQuestion[] = [];
  for (const question of questions) {
    const startedMs = performance.now();
    const { roots, messages = [] } = await retrieve(question.text);
    const tookMs = performance.now() - startedMs;
    const sessions = roots.map((root) => setIds.get(root) ?? root);
    const rank = sessions.findIndex((id) => question.sessions.has(id)) + 1;
    const shown = messages.slice(0, 5).flat();
    const isShown = shown.some((id) =>
      (messageIds.get(id) ?? []).some((each) => question.messages.has(each)),
    );
    asked.push({ question, rank: rank || undefined, sessions, isShown, tookMs });
  }
  return asked;
}

export function scoreOf(asked: readonly AnsweredQuestion[]): Score {
  const share = (count: (asked: AnsweredQuestion) => number): number => {
    const sum = asked.reduce((before, each) => before + count(each), 0);
    return Math.round((1000 * sum) / Math.max(1, asked.length)) / 10;
  };
  const within = (most: number) =>
    share(({ rank }) => (rank !== undefined && rank <= most ? 1 : 0));
  return {
    questions: asked.length,
    hit1: within(1),
    hit5: within(5),
    hit10: within(10),
    meanReciprocalRank: share(({ rank }) => (rank === undefined ? 0 : 1 / rank)),
    shown5: share(({ isShown }) => (isShown ? 1 : 0)),
    zeroHits: share(({ sessions }) => (sessions.length === 0 ? 1 : 0)),
  };
}
