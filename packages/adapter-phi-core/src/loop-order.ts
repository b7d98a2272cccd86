import type { Loop } from "./loops.ts";

/**
 * Loops as they began, which is how they follow each other. A file has them as they ended, and those
 * that broke off behind all others (formats, sections 5 and 9).
 */
export function inOrderOfStart(loops: readonly Loop[]): readonly Loop[] {
  return loops.toSorted((left, right) => {
    if (left.startedAt === right.startedAt) return 0;
    return left.startedAt < right.startedAt ? -1 : 1;
  });
}

/**
 * The places of loops that stand in their file behind one that began later, by key. All others
 * stand there as they began, and stay what they are where a late one comes.
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

/** Loops that stand as they began, as their file had them: `place` is of `latePlaces`. */
export function inFileOrder<Placed extends { readonly place: number | undefined }>(
  loops: readonly Placed[],
): readonly Placed[] {
  const inFile = loops.filter(({ place }) => place === undefined);
  const late = loops.filter(({ place }) => place !== undefined);
  // From the first on, each finds all that stood in front of it.
  for (const loop of late.sort((left, right) => (left.place ?? 0) - (right.place ?? 0))) {
    inFile.splice(loop.place ?? 0, 0, loop);
  }
  return inFile;
}
