import { PackedList } from "./packed-list.ts";

const firstSlots = 128;

/**
 * An entry: its key, followed by its values.
 *
 * @inline
 */
type Entry = readonly [key: string, ...values: unknown[]];

/** A map of JSON entries by key, kept as text in a {@link PackedList}. */
export class PackedEntries<E extends Entry> {
  readonly #list = new PackedList<E | null>();
  /** The hashes of the keys, in the order of the list. */
  #hashes = new Uint32Array(firstSlots);
  /**
   * For each entry, its number in the list plus one. It is in the slot that its hash selects, or in
   * a later one.
   */
  #slots = new Int32Array(firstSlots);
  #size = 0;

  /** The number of entries at present. */
  get size(): number {
    return this.#size;
  }

  /** The number that the next new entry gets. The number of every entry is below it. */
  get nextNumber(): number {
    return this.#list.length;
  }

  /** Returns the number of an entry in the order of adding; undefined if there is no such entry. */
  numberOf(key: string): number | undefined {
    const number = (this.#slots[this.#placeOf(key, hashOf(key))] ?? 0) - 1;
    return number < 0 ? undefined : number;
  }

  /** Returns true if there is an entry with this key. */
  has(key: string): boolean {
    return this.numberOf(key) !== undefined;
  }

  /** Returns the entry with this key; undefined if there is none. */
  get(key: string): E | undefined {
    const number = this.numberOf(key);
    return number === undefined ? undefined : this.at(number);
  }

  /** Returns the entry with this number; undefined if it was deleted. */
  at(number: number): E | undefined {
    return this.#list.at(number) ?? undefined;
  }

  /** Adds an entry, or replaces the one with its key. Returns its number. */
  set(entry: E): number {
    const [key] = entry;
    const hash = hashOf(key);
    const place = this.#placeOf(key, hash);
    const number = (this.#slots[place] ?? 0) - 1;
    if (number >= 0) {
      this.#list.put(number, entry);
      return number;
    }
    this.#size += 1;
    const added = this.#list.push(entry);
    this.#add(place, hash, added);
    return added;
  }

  /** Deletes the entry with this key. Returns true if there was one. */
  delete(key: string): boolean {
    const number = this.numberOf(key);
    if (number === undefined) return false;
    // Its slot stays occupied, so that entries in later slots are still found.
    this.#list.put(number, null);
    this.#size -= 1;
    return true;
  }

  /** Iterates over the entries in the order in which they were added. */
  *[Symbol.iterator](): Generator<E, undefined> {
    for (const entry of this.#list) if (entry !== null) yield entry;
  }

  /** Returns the texts of all entries as they are now, even if entries are set while reading. */
  texts(): Iterable<string> {
    return withoutDeleted(this.#list.texts());
  }

  /** The slot of a key, or the free slot for it. */
  #placeOf(key: string, hash: number): number {
    const beginning = `[${JSON.stringify(key)}`;
    const mask = this.#slots.length - 1;
    for (let place = firstPlace(hash, mask); ; place = (place + 1) & mask) {
      const number = (this.#slots[place] ?? 0) - 1;
      if (number < 0) return place;
      if (this.#hashes[number] !== hash) continue;
      // The text of a key has no unescaped quote before its last one, so this compares all of it.
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

/** The first slot to look at. The upper bits of the product depend on all bits of the hash. */
export function firstPlace(hash: number, mask: number): number {
  return Math.imul(hash, 0x9e3779b1) >>> Math.clz32(mask);
}

/** FNV-1a over UTF-16 code units. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
