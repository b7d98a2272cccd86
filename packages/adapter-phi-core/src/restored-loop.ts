/** The id of a loop that a restore writes, by its place in its session. */
export function restoredLoopId(sessionId: string, index: number): string {
  return `${sessionId}.pond.${index + 1}`;
}

/** True for an id of `restoredLoopId`, but not for one of a program whose agent is called pond. */
export function isRestoredLoop(loopId: string): boolean {
  return restored.test(loopId);
}

/** After the id of a copy, which is a name-based UUID (`copyUuid`). */
const restored = /^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\.pond\.\d+$/;
