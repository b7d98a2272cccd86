import { firstPlace, hashOf } from "./packed-entries.ts";

const firstSlots = 128;

/**
 * Finds the numbers that were added with a key. It keeps no keys, so it may also give numbers of
 * other keys, or one twice: the caller, who has the keys elsewhere, compares them. Takes about 20
 * bytes for each number.
 */
export class NumbersByKey {
  /** The hash of the key that a number was last added with, by number. */
  #hashes = new Uint32Array(firstSlots);
  /** Each number plus one, in the slot that its hash selects, or in a later one. */
  #slots = new Int32Array(firstSlots);
  #used = 0;

  /** Adds a number, with another key than before if it was added before. */
  add(key: string, number: number): void {
    while (number >= this.#hashes.length) {
      const hashes = this.#hashes;
      this.#hashes = new Uint32Array(hashes.length * 2);
      this.#hashes.set(hashes);
    }
    this.#hashes[number] = hashOf(key);
    this.#put(number);
    if (this.#used * 4 > this.#slots.length * 3) this.#grow();
  }

  /** Iterates over the numbers that may have a key. */
  *of(key: string): Generator<number, undefined> {
    const hash = hashOf(key);
    const mask = this.#slots.length - 1;
    for (let place = firstPlace(hash, mask); ; place = (place + 1) & mask) {
      const number = (this.#slots[place] ?? 0) - 1;
      if (number < 0) return;
      if (this.#hashes[number] === hash) yield number;
    }
  }

  #put(number: number): void {
    const mask = this.#slots.length - 1;
    let place = firstPlace(this.#hashes[number] ?? 0, mask);
    while (this.#slots[place] !== 0 && this.#slots[place] !== number + 1) {
      place = (place + 1) & mask;
    }
    if (this.#slots[place] === 0) this.#used += 1;
    this.#slots[place] = number + 1;
  }

  #grow(): void {
    const slots = this.#slots;
    this.#slots = new Int32Array(slots.length * 2);
    this.#used = 0;
    for (const slot of slots) if (slot !== 0) this.#put(slot - 1);
  }
}
