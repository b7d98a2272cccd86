import { visible, visibleLine } from "../visible.ts";

/** A fenced code block that nothing in the text can end. */
export function fenced(text: string, language: string = ""): string {
  const shown = visible(text);
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  const end = shown === "" || shown.endsWith("\n") ? "" : "\n";
  return `${fence}${language}\n${shown}${end}${fence}`;
}

/** A code span of one line. */
export function codeSpan(text: string): string {
  const shown = visibleLine(text, 300);
  if (shown === "") return "";
  const ticks = "`".repeat(longestRun(shown) + 1);
  // Spaces separate backticks at the edges, and are not shown.
  const space = /^[` ]|[` ]$/.test(shown) ? " " : "";
  return `${ticks}${space}${shown}${space}${ticks}`;
}

/** The text as one line, escaped so that none of it is markup. */
export function escapeMarkdown(text: string): string {
  return (
    visibleLine(text, 300)
      // Viewers that turn addresses into links take a backslash after one for a part of it.
      .replaceAll(/[\\`*_[\]<>&~|$#]/g, (mark, at: number, line: string) =>
        mark === "<" && /:\/\/\S*$/.test(line.slice(0, at)) ? "&lt;" : `\\${mark}`,
      )
  );
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
