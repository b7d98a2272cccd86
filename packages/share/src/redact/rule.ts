import type { Hit } from "./hit.ts";

/** A rule is asked for its kind of secret only at the places where one may begin. */
export type Rule = {
  /**
   * How everything that it finds begins: with one of these, in upper or lower case. Each has two
   * characters or more. A rule without any is asked once, at 0.
   */
  readonly prefixes: readonly string[];
  /**
   * Finds what begins at a place where one of `prefixes` may stand. All calls for one text together
   * have to take time linear in the text, whatever the text is.
   */
  readonly find: (text: string, at: number) => Found | undefined;
};

type Found = {
  readonly hits: readonly Hit[];
  /** The place from which the rule is asked again. */
  readonly until: number;
};

/** The plain text that a regular expression begins with. */
export function literalPrefix(expression: string): string {
  return /^[\w /-]*(?![?*{])/.exec(expression)?.[0] ?? "";
}
