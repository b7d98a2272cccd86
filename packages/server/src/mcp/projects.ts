import { beginningOf } from "./cut.ts";
import { quoteValue } from "./quoted.ts";

const maxProjectChars = 300;

/** A session whose project is cut if it is too long for anybody to read. */
export function withShortProject<T extends { readonly project: string }>(session: T): T {
  return { ...session, project: beginningOf(session.project, maxProjectChars) };
}

/** Says that nothing of a project is stored, and which others there are; undefined if something is. */
export function unknownProjectLines(similar: readonly string[] | undefined): string[] {
  if (similar === undefined) return [];
  const others =
    similar.length > 0 ? ` There are some of: ${similar.map(quoteValue).join(", ")}` : "";
  return [`No session of that project is stored.${others}`];
}
