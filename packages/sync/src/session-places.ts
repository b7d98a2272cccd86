import { PackedEntries } from "@pond/canonical/adapter";
import type { SourcePlace } from "@pond/sessions";
import type { ReadNotes } from "./observed-read.ts";
import type { SessionElsewhere } from "./other-sources.ts";
import type { Extent, SeenSession } from "./seen-file.ts";
import type { SeenSessions } from "./seen-sessions.ts";

/** A source, in reading order. */
type Work = { readonly seen: SeenSessions };

/** Where a session was read, and how far it went there, which older versions did not note. */
type ReadPlace = {
  readonly source: number;
  readonly key: string;
  readonly extent: Extent | undefined;
};

/** A session that is gone from where it was read. */
type Gone = { readonly seen: SeenSessions; readonly key: string };

/** The read in progress. */
type CurrentRead = {
  readonly key: string;
  readonly before: SeenSession | undefined;
  readonly notes: ReadNotes;
};

/** Where each session is on this machine: after a folder was copied, it is in several places. */
export class SessionPlaces {
  readonly #works: readonly Work[];
  readonly #isVerifying: boolean | undefined;
  /**
   * The one place of a session that was read and is not among those seen yet. Of these there may be
   * hundreds of thousands, so their places are looked up there.
   */
  readonly #notSeenYet: Map<string, ReadPlace> = new Map();
  /** Sessions found in several places, which may be thousands, or in none where they were seen. */
  readonly #copies: Map<string, ReadPlace[]> = new Map();
  readonly #elsewhere: Map<string, SessionElsewhere[]> = new Map();
  readonly #gone: Map<string, Gone[]> = new Map();
  /** Sessions that are known to have been read here before. Needed if all are verified. */
  readonly #knownIds = new PackedEntries<readonly [id: string]>();

  /** @param elsewhere - Where sources that are not read now had sessions. */
  constructor(
    works: readonly Work[],
    elsewhere: readonly SessionElsewhere[],
    isVerifying: boolean | undefined,
  ) {
    this.#works = works;
    this.#isVerifying = isVerifying;
    for (const each of elsewhere) addTo(this.#elsewhere, each.sessionId, each);
    for (const { seen } of works) {
      for (const [key, { sessionId: id, isGone }] of seen.entries()) {
        if (id === undefined) continue;
        if (isVerifying) this.#knownIds.set([id]);
        if (isGone) addTo(this.#gone, id, { seen, key });
      }
    }
  }

  /** The place from which a session is being read. */
  placeOf(work: Work, { key, before, notes }: CurrentRead, sessionId: string): SourcePlace {
    const source = this.#works.indexOf(work);
    /** True if `predicate` holds for every other place of the session. */
    const everyOther = (predicate: (other: ReadPlace) => boolean): boolean =>
      this.#placesOf(sessionId).every(
        (each) => isSamePlace(each, { source, key }) || predicate(each),
      );
    const { isUsual, path } = work.seen;
    const elsewhere = this.#elsewhere.get(sessionId) ?? [];
    // If one place of a session lacks something, another may hold it: then nothing has disappeared.
    // But a copy that somebody asked for once must not keep alive what the client deletes.
    const isAlone = everyOther(() => false) && elsewhere.every((each) => isUsual && !each.isUsual);
    const seen = this.#seenBefore(before, sessionId);
    return {
      held: isAlone ? heldBefore(seen, before) : undefined,
      agreedAt: seen ? agreedAtOf(seen) : 0,
      // A folder that somebody asks for may be a backup from before an edit, and so may a copy
      // beside a file that was read.
      isVerified: this.#isVerifying && isUsual && !this.#knownIds.has(sessionId),
      isNewest: () => {
        const own = extentOf(notes, before);
        const isAhead = (other: Extent | undefined, isFirst: boolean): boolean => {
          const order = compareExtents(own, other);
          return order === 0 ? isFirst : order > 0;
        };
        // If two go equally far, the one that is read first counts as the newer. If they are not
        // read together, it is the one that is usually read, then one fixed order for both.
        return (
          everyOther((other) => isAhead(other.extent, isBefore({ source, key }, other))) &&
          elsewhere.every((other) => {
            const isFirst = isUsual === other.isUsual ? path < other.path : isUsual;
            return isAhead(other.extent, isFirst);
          })
        );
      },
    };
  }

  /** Notes that a session was read, so that its other places are compared with this one. */
  read(work: Work, { key, before, notes }: CurrentRead, sessionId: string): void {
    const source = this.#works.indexOf(work);
    const formerId = before?.sessionId ?? sessionId;
    if (formerId !== sessionId) {
      const former = this.#placesOf(formerId).filter((each) => !isSamePlace(each, { source, key }));
      this.#copies.set(formerId, former);
    }
    this.#put(sessionId, { source, key, extent: extentOf(notes, before) });
    this.markSeen(sessionId);
    // It has moved here, or this was one of its places.
    for (const { seen, key: former } of this.#gone.get(sessionId) ?? []) {
      if (seen !== work.seen || former !== key) seen.forget(former);
    }
    this.#gone.delete(sessionId);
  }

  /** Call it once what was read of a session is among the sessions seen. */
  markSeen(sessionId: string): void {
    const found = this.#notSeenYet.get(sessionId);
    if (found === undefined) return;
    const seen = this.#works[found.source]?.seen.get(found.key);
    const isSeen =
      seen?.sessionId === sessionId && compareExtents(seen.extent ?? [0, 0], found.extent) === 0;
    if (isSeen) this.#notSeenYet.delete(sessionId);
  }

  /** What was seen of a moved file at its old place. */
  #seenBefore(before: SeenSession | undefined, sessionId: string): SeenSession | undefined {
    if (before?.sessionId === sessionId) return before;
    const [gone, ...others] = this.#gone.get(sessionId) ?? [];
    return others.length === 0 ? gone?.seen.get(gone.key) : undefined;
  }

  #placesOf(sessionId: string): readonly ReadPlace[] {
    const copies = this.#copies.get(sessionId);
    if (copies) return copies;
    const notSeenYet = this.#notSeenYet.get(sessionId);
    if (notSeenYet) return [notSeenYet];
    const seenPlaces = [...this.#works.entries()].flatMap(([source, { seen }]) =>
      seen.numbersOf(sessionId).map((number): ReadPlace => {
        return { source, key: seen.keyOf(number), extent: seen.at(number)?.extent };
      }),
    );
    // Looking each of thousands up again for each of them would take long.
    if (seenPlaces.length > 1) this.#copies.set(sessionId, seenPlaces);
    return seenPlaces;
  }

  #put(sessionId: string, found: ReadPlace): void {
    const places = this.#placesOf(sessionId);
    const copies = this.#copies.get(sessionId);
    const at = places.findIndex((each) => isSamePlace(each, found));
    if (copies !== undefined) copies.splice(at < 0 ? copies.length : at, 1, found);
    else if (places.length === 0 || at === 0) this.#notSeenYet.set(sessionId, found);
    else this.#copies.set(sessionId, [...places, found]);
  }
}

function addTo<T>(lists: Map<string, T[]>, id: string, value: T): void {
  const list = lists.get(id);
  if (list) list.push(value);
  // An array made by a spread would reserve room for sixteen more elements.
  else lists.set(id, [value]);
}

function heldBefore(
  seen: SeenSession | undefined,
  before: SeenSession | undefined,
): SourcePlace["held"] {
  // Older versions noted neither; they took everything stored as held.
  const isFromOlderVersion = seen?.extent === undefined && seen?.held === undefined;
  return seen && seen === before && isFromOlderVersion ? "all" : seen?.held;
}

/** When a place last agreed with what is stored. */
export function agreedAtOf({ agreedAt, held }: SeenSession): number | undefined {
  // Older versions noted it only for older copies.
  return agreedAt ?? held?.addedAt;
}

/** How far a session goes as it was read, or went here before. */
export function extentOf(
  { sessionId, newestMs, messages, size }: ReadNotes,
  before: SeenSession | undefined,
): Extent {
  const now: Extent = [newestMs, messages, size];
  const former = before?.sessionId === sessionId ? before?.extent : undefined;
  return former && compareExtents(former, now) > 0 ? former : now;
}

/** Above zero if the first goes further. */
export function compareExtents(one: Extent, other: Extent = [0, 0]): number {
  const [newest, messages, size = 0] = one;
  const [otherNewest, otherMessages, otherSize = 0] = other;
  return newest - otherNewest || messages - otherMessages || size - otherSize;
}

type PlaceKey = Pick<ReadPlace, "source" | "key">;

function isBefore(one: PlaceKey, other: PlaceKey): boolean {
  return one.source === other.source ? one.key < other.key : one.source < other.source;
}

function isSamePlace(one: PlaceKey, other: PlaceKey): boolean {
  return one.source === other.source && one.key === other.key;
}
