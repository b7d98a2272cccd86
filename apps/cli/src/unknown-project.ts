import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { joinSafe, type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";

/** A sentence for whoever asked for a project of which nothing is stored. */
export function unknownProjectText({ home }: Context, similar: readonly string[]): SafeText {
  if (similar.length === 0) return safeText("Nothing of that folder is stored.");
  const folders = similar.map((project) => safeLine(shortenHome(project, home)));
  return safe`Nothing of that folder is stored. There are sessions of: ${joinSafe(folders, safeText(", "))}`;
}
