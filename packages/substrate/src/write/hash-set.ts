const firstSlots = 64;

/**
 * A set of 32-bit hashes in one array. A `Set` takes three times as much memory for each, in tables
 * that garbage collections copy.
 */
export class HashSet {
  /** Zero marks a free slot. Each hash is in the slot that it selects, or in a later one. */
  #slots = new Uint32Array(firstSlots);
  #hasZero = false;
  #count = 0;

  has(hash: number): boolean {
    const whole = hash >>> 0;
    return whole === 0 ? this.#hasZero : this.#slots[this.#slotOf(whole)] === whole;
  }

  add(hash: number): void {
    const whole = hash >>> 0;
    if (whole === 0) {
      this.#hasZero = true;
      return;
    }
    const slot = this.#slotOf(whole);
    if (this.#slots[slot] === whole) return;
    this.#slots[slot] = whole;
    this.#count += 1;
    if (this.#count * 4 > this.#slots.length * 3) this.#grow();
  }

  clear(): void {
    this.#slots = new Uint32Array(firstSlots);
    this.#hasZero = false;
    this.#count = 0;
  }

  /** The slot of a hash, or the free slot for it. */
  #slotOf(hash: number): number {
    const mask = this.#slots.length - 1;
    // The upper bits of the product depend on all bits of the hash.
    let slot = Math.imul(hash, 0x9e3779b1) >>> Math.clz32(mask);
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const hashes = this.#slots;
    this.#slots = new Uint32Array(hashes.length * 2);
    for (const hash of hashes) if (hash !== 0) this.#slots[this.#slotOf(hash)] = hash;
  }
}
