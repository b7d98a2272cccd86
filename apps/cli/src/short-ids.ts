const leastLength = 8;
// Anything longer is reduced to its two ends.
const wholeSubAgent = 2 * leastLength + 8;

/** Replaces the middle of an id; it is understood when typed. */
export const middle = "…";

/**
 * Ids as short as they can be told apart: the beginning of a session's, and both ends of a
 * sub-agent's, which continues its session's.
 */
export function shortIds(ids: readonly string[]): string[] {
  const own = begins(ids.filter((id) => !id.includes("/")));
  const subAgents = begins(ids.filter((id) => id.includes("/")).map(reversed));
  return ids.map((id) => {
    const begin = own.get(id);
    if (begin !== undefined) return id.length <= begin.length + 4 ? id : begin;
    const end = reversed(subAgents.get(reversed(id)) ?? "");
    const isShort = id.length <= Math.max(wholeSubAgent, leastLength + 1 + end.length);
    return isShort ? id : `${id.slice(0, leastLength)}${middle}${end}`;
  });
}

/** For each text, the shortest beginning that no other shares. */
function begins(texts: readonly string[]): Map<string, string> {
  const sorted = [...new Set(texts)].sort();
  return new Map(
    sorted.map((text, at) => {
      const alike = [sorted[at - 1], sorted[at + 1]].map((other) => commonLength(text, other));
      const length = Math.max(leastLength, ...alike.map((each) => each + 1));
      return [text, text.slice(0, length)];
    }),
  );
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

function commonLength(text: string, other: string | undefined): number {
  if (other === undefined) return 0;
  let length = 0;
  while (length < text.length && text[length] === other[length]) length += 1;
  return length;
}
