import { promptsOf } from "../generated/corpus.ts";

/** A query that every contender is asked, each in its own way. */
export type Query = {
  readonly operation: string;
  /** The texts that a session has to hold, all of them. */
  readonly texts: readonly string[];
  /** The same query as pond takes it. */
  readonly asked: string;
};

/**
 * Makes queries of what a person remembers: the rarer words of prompts. The same files give the
 * same queries.
 */
export function queriesFrom(files: readonly string[]): Query[] {
  const prompts = files.flatMap(promptsOf);
  const counts = new Map<string, number>();
  for (const word of prompts.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const rarest = (words: readonly string[], pattern: RegExp): string[] =>
    [...new Set(words)]
      .filter((word) => pattern.test(word))
      .sort((left, right) => (counts.get(left) ?? 0) - (counts.get(right) ?? 0));
  const [word = ""] = rarest(prompts.flat(), /^[a-z]{5,}$/);
  const [identifier = ""] = rarest(prompts.flat(), /^[a-z]+_[a-z]+$/);
  const long = prompts.find((words) => rarest(words, /^[a-z]{4,}$/).length > 3) ?? [];
  const two = rarest(long, /^[a-z]{4,}$/).slice(0, 2);
  const phrase = long.slice(1, 4).join(" ");
  return [
    { operation: "search a word", texts: [word], asked: word },
    { operation: "search two words", texts: two, asked: two.join(" ") },
    { operation: "search an identifier", texts: [identifier], asked: identifier },
    { operation: "search a phrase", texts: [phrase], asked: `"${phrase}"` },
  ];
}
