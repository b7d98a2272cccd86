const pieceBytes = 1024 * 1024;
const firstRoom = 64;

/**
 * A list of values of JSON, kept as their texts in a few large pieces: of a hundred thousand small
 * ones that is a third of what they take as objects, and garbage collections need not look at them.
 * Each `at` makes its value anew.
 */
export class PackedList<Value> {
  readonly #pieces: Buffer[] = [];
  /** Where the next text begins, counted as if all pieces were as large. */
  #end = 0;
  #length = 0;
  #starts = new Float64Array(firstRoom);
  #bytes = new Uint32Array(firstRoom);

  /** How many values the list has. */
  get length(): number {
    return this.#length;
  }

  /** @returns The number of it in the list. */
  push(value: Value): number {
    const index = this.#length;
    if (index === this.#starts.length) this.#grow();
    this.#length += 1;
    this.#write(index, JSON.stringify(value));
    return index;
  }

  /** Puts a value in the place of another one, whose text stays for those that look at it. */
  put(index: number, value: Value): void {
    this.#write(index, JSON.stringify(value));
  }

  /** The value of a number, parsed from its text. */
  at(index: number): Value {
    return JSON.parse(this.#slice(this.#starts[index] ?? 0, this.#bytes[index] ?? 0)) as Value;
  }

  /** The texts of all values as they are now; others may be put in their places meanwhile. */
  texts(): Iterable<string> {
    return this.#textsAt(this.#starts.slice(0, this.#length), this.#bytes.slice(0, this.#length));
  }

  /** True where the text of a value begins so. */
  beginsWith(index: number, text: string): boolean {
    const bytes = Buffer.byteLength(text);
    const isAsLong = bytes <= (this.#bytes[index] ?? 0);
    return isAsLong && this.#slice(this.#starts[index] ?? 0, bytes) === text;
  }

  /** All values in their order, each parsed when it is its turn. */
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

  /** Where so many bytes are written: in one piece, or in one of their own. */
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
