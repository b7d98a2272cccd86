const pieceBytes = 1024 * 1024;
const firstRoom = 64;

/**
 * A list of JSON values, kept as text in a few large pieces. A hundred thousand small values take a
 * third of the memory that they take as objects, and garbage collections need not look at them.
 * Each `at` parses its value anew.
 */
export class PackedList<Value> {
  readonly #pieces: (Buffer | undefined)[] = [];
  /** How many of them are released. */
  #released = 0;
  /** Where the next text begins, counted as if all pieces had `pieceBytes`. */
  #end = 0;
  #length = 0;
  #starts = new Float64Array(firstRoom);
  #bytes = new Uint32Array(firstRoom);

  /** The number of values in the list. */
  get length(): number {
    return this.#length;
  }

  /** Appends a value and returns its index. */
  push(value: Value): number {
    const index = this.#length;
    if (index === this.#starts.length) this.#grow();
    this.#length += 1;
    this.#write(index, JSON.stringify(value));
    return index;
  }

  /** Replaces a value. The text of the old one is kept for readers that still use it. */
  put(index: number, value: Value): void {
    this.#write(index, JSON.stringify(value));
  }

  /** Returns the value at an index, parsed from its text. */
  at(index: number): Value {
    return JSON.parse(this.#slice(this.#starts[index] ?? 0, this.#bytes[index] ?? 0)) as Value;
  }

  /**
   * Releases the memory of the values before an index, which cannot be read any more. Not for a
   * list in which values are replaced.
   */
  releaseBefore(index: number): void {
    const piece = Math.floor((this.#starts[index] ?? 0) / pieceBytes);
    while (this.#released < piece) {
      this.#pieces[this.#released] = undefined;
      this.#released += 1;
    }
  }

  /** Returns the texts of all values as they are now, even if values are replaced while reading. */
  texts(): Iterable<string> {
    return this.#textsAt(this.#starts.slice(0, this.#length), this.#bytes.slice(0, this.#length));
  }

  /** Returns true if the text of the value at an index begins with `text`. */
  beginsWith(index: number, text: string): boolean {
    const bytes = Buffer.byteLength(text);
    const isAsLong = bytes <= (this.#bytes[index] ?? 0);
    return isAsLong && this.#slice(this.#starts[index] ?? 0, bytes) === text;
  }

  /** Iterates over all values in order and parses each in its turn. */
  *[Symbol.iterator](): Generator<Value, undefined> {
    for (let index = 0; index < this.#length; index++) yield this.at(index);
  }

  *#textsAt(starts: Float64Array, bytes: Uint32Array): Generator<string> {
    for (const [index, start] of starts.entries()) yield this.#slice(start, bytes[index] ?? 0);
  }

  #slice(start: number, bytes: number): string {
    const from = start % pieceBytes;
    return this.#pieces[Math.floor(start / pieceBytes)]?.toString("utf8", from, from + bytes) ?? "";
  }

  #write(index: number, text: string): void {
    const bytes = Buffer.byteLength(text);
    const start = this.#roomFor(bytes);
    this.#starts[index] = start;
    this.#bytes[index] = bytes;
    this.#pieces[Math.floor(start / pieceBytes)]?.write(text, start % pieceBytes);
  }

  /** Where to write so many bytes: in the last piece if they fit, otherwise in a new one. */
  #roomFor(bytes: number): number {
    const isFitting = this.#end + bytes <= this.#pieces.length * pieceBytes;
    const start = isFitting ? this.#end : this.#pieces.length * pieceBytes;
    if (!isFitting) this.#pieces.push(Buffer.allocUnsafeSlow(Math.max(bytes, pieceBytes)));
    this.#end = start + bytes;
    return start;
  }

  #grow(): void {
    const [starts, bytes] = [this.#starts, this.#bytes];
    this.#starts = new Float64Array(starts.length * 2);
    this.#starts.set(starts);
    this.#bytes = new Uint32Array(bytes.length * 2);
    this.#bytes.set(bytes);
  }
}
