import type { Random } from "../chaos/random.ts";

/** The input of one case: files by name, or one text under the empty name. */
export type Input = ReadonlyMap<string, Buffer>;

/** A target: code that reads what others wrote. */
export type Target = {
  readonly name: string;
  /** The sources whose branches guide the search for new inputs. */
  readonly sources: RegExp;
  /** Well-formed inputs to start from. */
  readonly seeds: () => readonly Input[] | Promise<readonly Input[]>;
  readonly mutate: (input: Input, random: Random) => Input;
  /** Rejects if a promise is broken, and says which one. */
  readonly run: (input: Input, scratch: string) => Promise<void>;
};
