/** The id of a loop that a restore writes, by its place in its session. */
export function restoredLoopId(sessionId: string, index: number): string {
  return `${sessionId}.pond.${index + 1}`;
}

/** True for an id of `restoredLoopId`. */
export function isRestoredLoop(loopId: string): boolean {
  return /\.pond\.\d+$/.test(loopId);
}
