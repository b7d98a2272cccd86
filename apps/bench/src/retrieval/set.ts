import { createRandom } from "../shared/random.ts";

/** One event in a session of a set: something said, or a command that was run. */
export type SetMessage =
  | { readonly id?: string; readonly role: "user" | "assistant"; readonly text: string }
  | { readonly shell: string; readonly output: string };

export type SetSession = {
  readonly id: string;
  /** When it began, RFC 3339; sessions without a date follow each other. */
  readonly date?: string;
  /** The session whose sub-agent this is. */
  readonly parent?: string;
  readonly messages: readonly SetMessage[];
};

/** A question as it was asked, and what answers it. */
export type Question = {
  readonly id: string;
  readonly text: string;
  readonly category?: string;
  /** Root sessions, of which one is enough. */
  readonly sessions: ReadonlySet<string>;
  /** Messages in them, if the set says which. */
  readonly messages: ReadonlySet<string>;
};

export type RetrievalSet = {
  readonly name: string;
  readonly sessions: readonly SetSession[];
  readonly questions: readonly Question[];
};

/** Weights are chosen on the tuning half; the bars are for the other one. */
export type Part = "tuning" | "held-out";

const splitSeed = 7;

/** One half of a set's questions, chosen by seed: the same in every run. */
export function partOf(questions: readonly Question[], part: Part): Question[] {
  const random = createRandom(splitSeed);
  const shuffled = questions
    .map((question) => ({ question, at: random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ question }) => question);
  const half = Math.floor(shuffled.length / 2);
  return part === "tuning" ? shuffled.slice(0, half) : shuffled.slice(half);
}
