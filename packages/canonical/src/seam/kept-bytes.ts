/**
 * Bytes that come in pieces. Few stay the pieces they are; of many each is copied to the others as it
 * comes, so that no piece is held beside the whole.
 */
export class KeptBytes {
  #pieces: Buffer[] = [];
  /** Holds the beginning of them, where they are many, and room for more. */
  #whole: Buffer | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Many: not to be held any longer than needed. */
  get isLarge(): boolean {
    return this.#length >= largeBytes;
  }

  add(piece: Buffer): void {
    const start = this.#length;
    this.#length += piece.length;
    if (!this.isLarge) {
      this.#pieces.push(piece);
      return;
    }
    const whole = this.#roomFor(this.#length);
    if (this.#pieces.length > 0) this.#copyPieces(whole);
    piece.copy(whole, start);
  }

  /** All of them, and none stay here. */
  take(): Buffer {
    const taken = this.#whole?.subarray(0, this.#length) ?? Buffer.concat(this.#pieces);
    this.#whole = undefined;
    this.clear();
    return taken;
  }

  clear(): void {
    this.#pieces = [];
    if (this.#whole) freeBytes(this.#whole);
    this.#whole = undefined;
    this.#length = 0;
  }

  #copyPieces(whole: Buffer): void {
    let at = 0;
    for (const piece of this.#pieces) at += piece.copy(whole, at);
    this.#pieces = [];
  }

  #roomFor(bytes: number): Buffer {
    const whole = this.#whole;
    if (whole && bytes <= whole.length) return whole;
    // What is never written to takes no memory, only addresses.
    const roomier = Buffer.allocUnsafeSlow(Math.max(bytes, largeBytes) * 2);
    whole?.copy(roomier);
    if (whole) freeBytes(whole);
    this.#whole = roomier;
    return roomier;
  }
}

/** Gives memory back at once that would wait for a garbage collection. Nothing may look at it again. */
export function freeBytes({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

const largeBytes = 8 * 1024 * 1024;
