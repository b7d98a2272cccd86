import type { Shell } from "../completion-scripts.ts";
import { safeLine } from "../output/safe-text.ts";
import type { Candidate, Completions } from "./candidates.ts";
import type { CompletionRequest } from "./completion-request.ts";
import type { CurrentWord } from "./typed-words.ts";

/**
 * What a shell's script reads: a line that says what follows, then a candidate on each line, for
 * zsh and fish with a tab and its description. Bash puts what it gets on the line unchanged, so the
 * reply is quoted; the others quote it themselves.
 */
export function replyFor(
  shell: Shell,
  completions: Completions,
  { before }: Pick<CompletionRequest, "before">,
  current: CurrentWord,
): string {
  if (completions.kind !== "values") return `${completions.kind}\n`;
  const lines = completions.candidates.flatMap((candidate) =>
    lineFor(shell, candidate, before, current),
  );
  return ["values", ...lines, ""].join("\n");
}

function lineFor(
  shell: Shell,
  { value, description }: Candidate,
  before: string,
  current: CurrentWord,
): string | readonly never[] {
  if (shell === "bash") return quotedRemainder(current, before + value) ?? [];
  // The script of zsh has put aside what precedes the value.
  return `${shell === "fish" ? before : ""}${value}\t${safeLine(description)}`;
}

/** What goes on the line after what the shell keeps of it; undefined if that is impossible. */
function quotedRemainder({ kept, quote }: CurrentWord, whole: string): string | undefined {
  if (!whole.startsWith(kept)) return undefined;
  const rest = whole.slice(kept.length);
  switch (quote) {
    case "'":
      return rest.replaceAll("'", String.raw`'\''`);
    case '"':
      // Nothing keeps bash from reading a `!` in there as history.
      return rest.includes("!") ? undefined : rest.replaceAll(/["$`\\]/g, String.raw`\$&`);
    default:
      return rest.replaceAll(/[^\w@%+=:,./\u0080-\u{10ffff}-]/gu, String.raw`\$&`);
  }
}
