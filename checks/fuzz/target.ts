import type { Random } from "../chaos/random.ts";

/** What one case is: files by name, or the one text under the empty name. */
export type Input = ReadonlyMap<string, Buffer>;

/** Something that reads what others wrote. */
export type Target = {
  readonly name: string;
  /** Sources whose branches the search for new inputs goes by. */
  readonly sources: RegExp;
  /** Well-made inputs to start from. */
  readonly seeds: () => readonly Input[] | Promise<readonly Input[]>;
  readonly mutate: (input: Input, random: Random) => Input;
  /** Rejects, saying which promise is broken, where one is. */
  readonly run: (input: Input, scratch: string) => Promise<void>;
};
