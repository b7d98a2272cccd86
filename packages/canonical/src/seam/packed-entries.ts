import { PackedList } from "./packed-list.ts";

const firstSlots = 128;

/**
 * Values by a key, with which each begins.
 *
 * @inline
 */
type Entry = readonly [key: string, ...values: unknown[]];

/** A map of entries of JSON, kept as a {@link PackedList} keeps them. */
export class PackedEntries<E extends Entry> {
  readonly #list = new PackedList<E | null>();
  /** Of the keys of entries, in the order of the list. */
  #hashes = new Uint32Array(firstSlots);
  /** One more than the number of an entry in the list; each stands at the place its hash names, or behind. */
  #slots = new Int32Array(firstSlots);
  #size = 0;

  /** How many entries there are now. */
  get size(): number {
    return this.#size;
  }

  /** How many entries were ever added: their numbers are below it. */
  get numbers(): number {
    return this.#list.length;
  }

  /** The number of an entry, by the order in which they were added; undefined where there is none. */
  numberOf(key: string): number | undefined {
    const number = (this.#slots[this.#placeOf(key, hashOf(key))] ?? 0) - 1;
    return number < 0 ? undefined : number;
  }

  /** True if there is an entry with this key. */
  has(key: string): boolean {
    return this.numberOf(key) !== undefined;
  }

  /** The entry with this key; undefined if there is none. */
  get(key: string): E | undefined {
    const number = this.numberOf(key);
    return number === undefined ? undefined : this.at(number);
  }

  /** The entry of a number; undefined where it was deleted. */
  at(number: number): E | undefined {
    return this.#list.at(number) ?? undefined;
  }

  /** Adds an entry, or puts it in the place of the one with its key. */
  set(entry: E): void {
    const [key] = entry;
    const hash = hashOf(key);
    const place = this.#placeOf(key, hash);
    const number = (this.#slots[place] ?? 0) - 1;
    if (number >= 0) {
      this.#list.put(number, entry);
      return;
    }
    this.#size += 1;
    this.#add(place, hash, this.#list.push(entry));
  }

  /** @returns True if there was an entry with this key. */
  delete(key: string): boolean {
    const number = this.numberOf(key);
    if (number === undefined) return false;
    // Its slot stays, for those that stand behind it.
    this.#list.put(number, null);
    this.#size -= 1;
    return true;
  }

  /** In the order in which they were added. */
  *[Symbol.iterator](): Generator<E, undefined> {
    for (const entry of this.#list) if (entry !== null) yield entry;
  }

  /** The texts of all entries as they are now; others may be set meanwhile. */
  texts(): Iterable<string> {
    return withoutDeleted(this.#list.texts());
  }

  /** The slot of a key, or a free one. */
  #placeOf(key: string, hash: number): number {
    const beginning = `[${JSON.stringify(key)}`;
    const mask = this.#slots.length - 1;
    for (let place = firstPlace(hash, mask); ; place = (place + 1) & mask) {
      const number = (this.#slots[place] ?? 0) - 1;
      if (number < 0) return place;
      if (this.#hashes[number] !== hash) continue;
      // The text of a key ends with a quote that it holds nowhere else, so that this is all of it.
      if (this.#list.beginsWith(number, beginning)) return place;
    }
  }

  #add(place: number, hash: number, number: number): void {
    this.#slots[place] = number + 1;
    if (number === this.#hashes.length) {
      const hashes = this.#hashes;
      this.#hashes = new Uint32Array(hashes.length * 2);
      this.#hashes.set(hashes);
    }
    this.#hashes[number] = hash;
    if (this.#list.length * 4 > this.#slots.length * 3) this.#grow();
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let number = 0; number < this.#list.length; number++) {
      let place = firstPlace(this.#hashes[number] ?? 0, mask);
      while (this.#slots[place] !== 0) place = (place + 1) & mask;
      this.#slots[place] = number + 1;
    }
  }
}

function* withoutDeleted(texts: Iterable<string>): Generator<string> {
  for (const text of texts) if (text !== "null") yield text;
}

/** The upper bits of a product are of all bits of the hash. */
function firstPlace(hash: number, mask: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> Math.clz32(mask);
}

/** FNV-1a, of UTF-16 code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
