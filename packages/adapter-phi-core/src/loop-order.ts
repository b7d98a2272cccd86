import type { Loop } from "./loops.ts";

/**
 * Loops in the order of their beginnings, in which they follow each other. A file has them in the
 * order of their ends, and those that broke off after all others (formats, sections 5 and 9).
 */
export function inOrderOfStart(loops: readonly Loop[]): readonly Loop[] {
  return loops.toSorted((left, right) => {
    if (left.startedAt === right.startedAt) return 0;
    return left.startedAt < right.startedAt ? -1 : 1;
  });
}

/**
 * The places, by key, of loops that come in their file after one that began later. All others are
 * there in the order of their beginnings, and keep their places when a late one comes.
 */
export function latePlaces(loops: readonly Loop[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let latest: Loop | undefined;
  for (const [place, loop] of loops.entries()) {
    if (latest && loop.startedAt < latest.startedAt) places.set(loop.key, place);
    else latest = loop;
  }
  return places;
}

/**
 * Loops in the order of their beginnings, put back into the order of their file; `place` comes from
 * `latePlaces`.
 */
export function inFileOrder<Placed extends { readonly place: number | undefined }>(
  loops: readonly Placed[],
): readonly Placed[] {
  const inFile = loops.filter(({ place }) => place === undefined);
  const late = loops.filter(({ place }) => place !== undefined);
  // From the first on, each finds everything that was in front of it.
  for (const loop of late.sort((left, right) => (left.place ?? 0) - (right.place ?? 0))) {
    inFile.splice(loop.place ?? 0, 0, loop);
  }
  return inFile;
}
