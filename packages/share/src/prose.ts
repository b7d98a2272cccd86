/** UTF-16 units; what is longer is no prose, and rendering it costs more than it gives. */
export const longestProse = 100_000;

/** A link that may be followed from a page: others lead into a program or the writer's machine. */
export function isWebLink(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(url);
}
