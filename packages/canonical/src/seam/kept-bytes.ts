/**
 * Collects bytes that come in pieces. A few bytes stay in their pieces. Many are joined into blocks
 * as they come, and the blocks into one when they are taken, so that hardly a byte is held twice.
 */
export class KeptBytes {
  #pieces: Buffer[] = [];
  #piecesBytes = 0;
  #blocks: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** True if there are so many bytes that they should not be held longer than needed. */
  get isLarge(): boolean {
    return this.#blocks.length > 0;
  }

  add(piece: Buffer): void {
    this.#length += piece.length;
    this.#pieces.push(piece);
    this.#piecesBytes += piece.length;
    if (this.#piecesBytes >= blockBytes) this.#blocks.push(this.#takePieces());
  }

  /** Returns all of the bytes and keeps none. */
  take(): Buffer {
    const last = this.#takePieces();
    const blocks = this.#blocks;
    this.#blocks = [];
    const length = this.#length;
    this.#length = 0;
    return blocks.length === 0 ? last : joined([...blocks, last], length);
  }

  clear(): void {
    this.#pieces = [];
    this.#piecesBytes = 0;
    for (const block of this.#blocks) freeBytes(block);
    this.#blocks = [];
    this.#length = 0;
  }

  #takePieces(): Buffer {
    const block = Buffer.allocUnsafeSlow(this.#piecesBytes);
    let at = 0;
    for (const piece of this.#pieces) at += piece.copy(block, at);
    this.#pieces = [];
    this.#piecesBytes = 0;
    return block;
  }
}

/** Joins blocks into one; each is freed as soon as it is copied. */
function joined(blocks: readonly Buffer[], length: number): Buffer {
  // Memory that is not written yet takes up only addresses.
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const block of blocks) {
    at += block.copy(whole, at);
    freeBytes(block);
  }
  return whole;
}

/**
 * Frees memory at once instead of at the next garbage collection. Nothing may look at the buffer
 * again.
 */
export function freeBytes({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

const blockBytes = 8 * 1024 * 1024;
