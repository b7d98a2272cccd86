import { firstPlace, hashOf } from "./packed-entries.ts";

const firstSlots = 128;

/** Ends the list of numbers in a slot. */
const last = 1;

/**
 * Finds the numbers that were added with a key. It keeps no keys, so it may also give numbers of
 * other keys: the caller, who has the keys elsewhere, compares them. Takes about 20 bytes for each
 * number.
 */
export class NumbersByKey {
  /** The hash of the key that a number was last added with, by number. */
  #hashes = new Uint32Array(firstSlots);
  /**
   * The number plus two that follows a number in its slot, by number. Many numbers may have one
   * key, so they are linked: to look for a free slot would mean to pass all of them each time.
   */
  #following = new Int32Array(firstSlots);
  /** The first number plus two of those whose hashes select a slot. */
  #slots = new Int32Array(firstSlots).fill(last);
  #size = 0;

  /** Adds a number with a key, which replaces the key that it was added with before. */
  add(key: string, number: number): void {
    while (number >= this.#hashes.length) this.#makeRoom();
    const hash = hashOf(key);
    if (this.#following[number] === 0) this.#size += 1;
    else if (this.#hashes[number] === hash) return;
    else this.#unlink(number);
    this.#hashes[number] = hash;
    this.#link(number);
    if (this.#size > this.#slots.length) this.#grow();
  }

  /** Iterates over the numbers that may have a key. */
  *of(key: string): Generator<number, undefined> {
    const hash = hashOf(key);
    let at = this.#slots[this.#slotOf(hash)] ?? last;
    for (; at !== last; at = this.#following[at - 2] ?? last) {
      if (this.#hashes[at - 2] === hash) yield at - 2;
    }
  }

  #slotOf(hash: number): number {
    return firstPlace(hash, this.#slots.length - 1);
  }

  #link(number: number): void {
    const slot = this.#slotOf(this.#hashes[number] ?? 0);
    this.#following[number] = this.#slots[slot] ?? last;
    this.#slots[slot] = number + 2;
  }

  #unlink(number: number): void {
    const slot = this.#slotOf(this.#hashes[number] ?? 0);
    const following = this.#following[number] ?? last;
    let before = this.#slots[slot] ?? last;
    if (before === number + 2) {
      this.#slots[slot] = following;
      return;
    }
    while (this.#following[before - 2] !== number + 2) before = this.#following[before - 2] ?? last;
    this.#following[before - 2] = following;
  }

  #makeRoom(): void {
    const [hashes, following] = [this.#hashes, this.#following];
    this.#hashes = new Uint32Array(hashes.length * 2);
    this.#hashes.set(hashes);
    this.#following = new Int32Array(following.length * 2);
    this.#following.set(following);
  }

  #grow(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(last);
    for (let number = 0; number < this.#hashes.length; number++) {
      if (this.#following[number] !== 0) this.#link(number);
    }
  }
}
