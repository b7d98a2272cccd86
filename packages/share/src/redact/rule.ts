import type { Hit } from "./hit.ts";

/** What is asked where a secret of its kind may begin, and nowhere else. */
export type Rule = {
  /**
   * All that it finds begins with one of these, in upper or lower case; of two characters or more.
   * Without any it is asked once, at 0.
   */
  readonly begins: readonly string[];
  /**
   * What begins at a place where one of them may stand. All that it is asked of a text is to take
   * time linear in the text whatever the text is.
   */
  readonly find: (text: string, at: number) => Found | undefined;
};

type Found = {
  readonly hits: readonly Hit[];
  /** Where it is to be asked again. */
  readonly until: number;
};

/** The plain text that a regular expression begins with. */
export function beginningOf(expression: string): string {
  return /^[\w /-]*(?![?*{])/.exec(expression)?.[0] ?? "";
}
