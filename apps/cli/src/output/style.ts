import { type SafeText, styleSafe } from "./safe-text.ts";

/** Ways to highlight text; without colour, each returns its text. */
export type Style = {
  readonly strong: (text: SafeText) => SafeText;
  readonly faint: (text: SafeText) => SafeText;
  readonly good: (text: SafeText) => SafeText;
  readonly warning: (text: SafeText) => SafeText;
  readonly bad: (text: SafeText) => SafeText;
  readonly accent: (text: SafeText) => SafeText;
  /** What a search found. */
  readonly match: (text: SafeText) => SafeText;
};

/** Select Graphic Rendition, on and off. */
const codes: Readonly<Record<keyof Style, readonly [on: number, off: number]>> = {
  strong: [1, 22],
  faint: [2, 22],
  good: [32, 39],
  warning: [33, 39],
  bad: [31, 39],
  accent: [36, 39],
  match: [7, 27],
};

export function createStyle(isColored: boolean): Style {
  const one = (name: keyof Style): ((text: SafeText) => SafeText) => {
    const [on, off] = codes[name];
    return isColored ? (text) => styleSafe(`\x1b[${on}m`, text, `\x1b[${off}m`) : (text) => text;
  };
  return {
    strong: one("strong"),
    faint: one("faint"),
    good: one("good"),
    warning: one("warning"),
    bad: one("bad"),
    accent: one("accent"),
    match: one("match"),
  };
}

type ColorWishes = {
  /** False if `--no-color` was given. */
  readonly isAllowed: boolean;
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** `--no-color`, then FORCE_COLOR, then NO_COLOR, then whether a terminal reads the output. */
export function wantsColor({ isAllowed, isTerminal, env }: ColorWishes): boolean {
  if (!isAllowed) return false;
  const force = env["FORCE_COLOR"];
  if (force) return force !== "0" && force !== "false";
  if (env["NO_COLOR"]) return false;
  return isTerminal && env["TERM"] !== "dumb";
}
