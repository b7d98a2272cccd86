/** In UTF-16 units. Longer text is not prose, and rendering it costs more than it gives. */
export const maxProseLength = 100_000;

/**
 * Whether a link may be followed from a page. Other links lead into a program or the writer's
 * machine.
 */
export function isWebLink(url: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(url);
}
