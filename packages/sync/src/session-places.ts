import { PackedEntries } from "@pond/canonical/adapter";
import type { Place } from "@pond/sessions";
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

/** A session by its id, and the one place where it was found. */
type SinglePlace = readonly [id: string, source: number, key: string, extent: Extent | null];

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
  readonly #single = new PackedEntries<SinglePlace>();
  /** Sessions found in several places. There may be thousands. */
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
    for (const [source, { seen }] of works.entries()) {
      for (const [key, session] of seen.entries()) {
        const { sessionId: id, isGone, extent } = session;
        if (id === undefined) continue;
        if (isVerifying) this.#knownIds.set([id]);
        if (isGone) addTo(this.#gone, id, { seen, key });
        else this.#put(id, { source, key, extent });
      }
    }
  }

  /** The place from which a session is being read. */
  placeOf(work: Work, { key, before, notes }: CurrentRead, sessionId: string): Place {
    const source = this.#works.indexOf(work);
    /** True if `is` holds for every other place of the session. */
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
      if (this.#copies.has(formerId)) this.#copies.set(formerId, former);
      else if (former.length === 0) this.#single.delete(formerId);
    }
    this.#put(sessionId, { source, key, extent: extentOf(notes, before) });
    // It has moved here, or this was one of its places.
    for (const { seen, key: former } of this.#gone.get(sessionId) ?? []) {
      if (seen !== work.seen || former !== key) seen.forget(former);
    }
    this.#gone.delete(sessionId);
  }

  /** What was seen of a moved file at its old place. */
  #seenBefore(before: SeenSession | undefined, sessionId: string): SeenSession | undefined {
    if (before?.sessionId === sessionId) return before;
    const [gone, ...others] = this.#gone.get(sessionId) ?? [];
    return others.length === 0 ? gone?.seen.get(gone.key) : undefined;
  }

  #placesOf(sessionId: string): readonly ReadPlace[] {
    const copies = this.#copies.get(sessionId);
    const here = this.#single.get(sessionId);
    if (copies || here === undefined) return copies ?? [];
    const [, source, key, extent] = here;
    return [{ source, key, extent: extent ?? undefined }];
  }

  #put(sessionId: string, found: ReadPlace): void {
    const { source, key, extent } = found;
    const copies = this.#copies.get(sessionId);
    const places = copies ?? this.#placesOf(sessionId);
    const at = places.findIndex((each) => isSamePlace(each, found));
    if (copies !== undefined) copies.splice(at < 0 ? copies.length : at, 1, found);
    else if (places.length === 0 || at === 0) {
      this.#single.set([sessionId, source, key, extent ?? null]);
    } else this.#copies.set(sessionId, [...places, found]);
  }
}

function addTo<T>(lists: Map<string, T[]>, id: string, value: T): void {
  const list = lists.get(id);
  if (list) list.push(value);
  // An array made by a spread would reserve room for sixteen more elements.
  else lists.set(id, [value]);
}

function heldBefore(seen: SeenSession | undefined, before: SeenSession | undefined): Place["held"] {
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
