/**
 * The cells of a text column, encoded as they come. For many long texts: kept as strings until
 * they are written, one garbage collection after another would copy them.
 */
export class TextCells {
  #bytes: Buffer = Buffer.alloc(0);
  /** The memory that they are in, where it is to be given back. */
  #memory: Memory | undefined;
  /** Where each cell ends. */
  #ends: Float64Array = new Float64Array(0);
  #isNull: Uint8Array = new Uint8Array(0);
  #length = 0;
  #isWellFormed = true;

  /** How many cells there are. */
  get length(): number {
    return this.#length;
  }

  /** False once a cell held half a character: such a batch is refused. */
  get isWellFormed(): boolean {
    return this.#isWellFormed;
  }

  /** The bytes of all cells, one after the other. A view: not to be kept beside later pushes. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#startOf(this.#length));
  }

  /** True where these very bytes are those of all cells. */
  isIn({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
    const own = this.#bytes;
    return (
      buffer === own.buffer &&
      byteOffset === own.byteOffset &&
      byteLength === this.#startOf(this.#length)
    );
  }

  /**
   * From now on the cells are in this copy of their bytes, which lies beside that of others.
   *
   * @param copy - In memory that only such cells are in, for {@link free} gives all of it back.
   */
  moveTo(copy: Buffer): void {
    // To move others a second time those need to be there.
    if (!this.#memory?.isShared) giveBack(this.#memory);
    this.#bytes = copy;
    this.#memory = { buffer: copy.buffer, isShared: true };
  }

  /** Gives the memory back at once: the cells are gone, and those of others beside them. */
  free(): void {
    giveBack(this.#memory);
    this.#memory = undefined;
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
  }

  /** Adds a cell behind the others. */
  push(cell: string | null): void {
    const row = this.#length;
    if (row === this.#ends.length) this.#addRows();
    const start = this.#startOf(row);
    this.#ends[row] = cell === null ? start : this.#write(cell, start);
    this.#isNull[row] = Number(cell === null);
    this.#length += 1;
  }

  /**
   * A cell as it was pushed.
   *
   * @throws {RangeError} where there is none, or none any more: never a text that was not pushed.
   */
  at(row: number): string | null {
    if (row >= this.#length) throw new RangeError(`no cell ${row} of ${this.#length}`);
    return this.isNull(row)
      ? null
      : this.#bytes.toString("utf8", this.#startOf(row), this.#ends[row]);
  }

  /** True where a cell holds nothing. */
  isNull(row: number): boolean {
    return this.#isNull[row] !== 0;
  }

  /** How many bytes a cell takes. */
  sizeOf(row: number): number {
    return (this.#ends[row] ?? 0) - this.#startOf(row);
  }

  /** Where each cell begins in the bytes, and the last one ends. */
  offsets(): Int32Array {
    const offsets = new Int32Array(this.#length + 1);
    offsets.set(this.#ends.subarray(0, this.#length), 1);
    return offsets;
  }

  /** The cells of some rows. */
  take(rows: readonly number[]): TextCells {
    const taken = new TextCells();
    for (const row of rows) taken.push(this.at(row));
    taken.#isWellFormed = this.#isWellFormed;
    return taken;
  }

  /** The same cells with a mark where there is none, and in front of each that begins with it. */
  marked(mark: string): TextCells {
    const bytes = Buffer.from(mark);
    const marked = new TextCells();
    marked.#isWellFormed = this.#isWellFormed;
    marked.#length = this.#length;
    marked.#isNull = new Uint8Array(this.#length);
    marked.#ends = new Float64Array(this.#length);
    const pieces: Uint8Array[] = [];
    let [copied, added] = [0, 0];
    for (let row = 0; row < this.#length; row++) {
      const start = this.#startOf(row);
      if (this.isNull(row) || this.#beginsWith(bytes, row)) {
        pieces.push(this.#bytes.subarray(copied, start), bytes);
        copied = start;
        added += bytes.length;
      }
      marked.#ends[row] = (this.#ends[row] ?? 0) + added;
    }
    if (pieces.length === 0) return this;
    pieces.push(this.#bytes.subarray(copied, this.#startOf(this.#length)));
    marked.#bytes = Buffer.concat(pieces);
    return marked;
  }

  #beginsWith(bytes: Buffer, row: number): boolean {
    const start = this.#startOf(row);
    if (this.sizeOf(row) < bytes.length || this.#bytes[start] !== bytes[0]) return false;
    return this.#bytes.compare(bytes, 0, bytes.length, start, start + bytes.length) === 0;
  }

  #startOf(row: number): number {
    return row === 0 ? 0 : (this.#ends[row - 1] ?? 0);
  }

  /** @returns Where the cell ends. */
  #write(cell: string, start: number): number {
    this.#isWellFormed &&= cell.isWellFormed();
    // No code unit takes more than three bytes; of a long text it pays to count them.
    const atMost = cell.length > longCell ? Buffer.byteLength(cell) : cell.length * 3;
    if (start + atMost > this.#bytes.length) this.#grow(start, start + atMost);
    return start + this.#bytes.write(cell, start, "utf8");
  }

  #grow(used: number, wanted: number): void {
    // What is never written to takes no memory, only addresses.
    const more = Math.min(this.#bytes.length * 3, mostSpareBytes);
    const bytes = Buffer.allocUnsafeSlow(Math.max(wanted, this.#bytes.length + more, leastBytes));
    this.#bytes.copy(bytes, 0, 0, used);
    this.moveTo(bytes);
    this.#memory = { buffer: bytes.buffer, isShared: false };
  }

  #addRows(): void {
    const rows = Math.max(leastRows, this.#length * 2);
    const [ends, isNull] = [new Float64Array(rows), new Uint8Array(rows)];
    ends.set(this.#ends);
    isNull.set(this.#isNull);
    this.#ends = ends;
    this.#isNull = isNull;
  }
}

type Memory = { readonly buffer: ArrayBufferLike; readonly isShared: boolean };

function giveBack(memory: Memory | undefined): void {
  // What several share is given back once.
  if (memory?.buffer instanceof ArrayBuffer && !memory.buffer.detached) memory.buffer.transfer(0);
}

const longCell = 64 * 1024;
const leastBytes = 16 * 1024;
const mostSpareBytes = 64 * 1024 * 1024;
const leastRows = 64;
