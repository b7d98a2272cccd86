const minLength = 8;
// Anything longer is reduced to its two ends.
const maxWholeLength = 2 * minLength + 8;

/** Replaces the middle of an id; it is understood when typed. */
export const ellipsis = "…";

/**
 * Ids as short as they can be told apart: the beginning of a session's, and both ends of a
 * sub-agent's, which continues its session's.
 */
export function shortIds(ids: readonly string[]): string[] {
  const own = shortestPrefixes(ids.filter((id) => !id.includes("/")));
  const subAgents = shortestPrefixes(ids.filter((id) => id.includes("/")).map(reversed));
  return ids.map((id) => {
    const begin = own.get(id);
    if (begin !== undefined) return id.length <= begin.length + 4 ? id : begin;
    const end = reversed(subAgents.get(reversed(id)) ?? "");
    const isShort = id.length <= Math.max(maxWholeLength, minLength + 1 + end.length);
    return isShort ? id : `${id.slice(0, minLength)}${ellipsis}${end}`;
  });
}

/** For each text, the shortest beginning that no other shares. */
function shortestPrefixes(texts: readonly string[]): Map<string, string> {
  const sorted = [...new Set(texts)].sort();
  return new Map(
    sorted.map((text, at) => {
      const shared = [sorted[at - 1], sorted[at + 1]].map((other) =>
        commonPrefixLength(text, other),
      );
      const length = Math.max(minLength, ...shared.map((each) => each + 1));
      return [text, text.slice(0, length)];
    }),
  );
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

function commonPrefixLength(text: string, other: string | undefined): number {
  if (other === undefined) return 0;
  let length = 0;
  while (length < text.length && text[length] === other[length]) length += 1;
  return length;
}
