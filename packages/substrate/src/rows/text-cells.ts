/**
 * The cells of a text column, encoded as they arrive. For many long texts: if they were kept as
 * strings until they are written, each garbage collection would copy them again.
 */
export class TextCells {
  #bytes: Buffer = Buffer.alloc(0);
  /** The memory that holds them, if it is to be freed early. */
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

  /** The bytes of all cells in sequence. A view, which is not valid after later pushes. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#startOf(this.#length));
  }

  /** True if exactly these bytes are those of all cells. */
  isIn({ buffer, byteOffset, byteLength }: Uint8Array): boolean {
    const own = this.#bytes;
    return (
      buffer === own.buffer &&
      byteOffset === own.byteOffset &&
      byteLength === this.#startOf(this.#length)
    );
  }

  /**
   * Makes the cells use this copy of their bytes, which lies next to those of other cells.
   *
   * @param copy - In memory that holds nothing but such cells, because {@link free} frees all of
   * it.
   */
  moveTo(copy: Buffer): void {
    // The old bytes have to stay for other cells that are moved later.
    if (!this.#memory?.isShared) freeMemory(this.#memory);
    this.#bytes = copy;
    this.#memory = { buffer: copy.buffer, isShared: true };
  }

  /** Frees the memory at once. The cells are gone, and so are other cells in the same memory. */
  free(): void {
    freeMemory(this.#memory);
    this.#memory = undefined;
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
  }

  /** Appends a cell. */
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
   * @throws {RangeError} if there is none, or none any more: it never returns a text that was not
   * pushed.
   */
  at(row: number): string | null {
    if (row >= this.#length) throw new RangeError(`no cell ${row} of ${this.#length}`);
    return this.isNull(row)
      ? null
      : this.#bytes.toString("utf8", this.#startOf(row), this.#ends[row]);
  }

  /** True if a cell is null. */
  isNull(row: number): boolean {
    return this.#isNull[row] !== 0;
  }

  /** How many bytes a cell takes. */
  sizeOf(row: number): number {
    return (this.#ends[row] ?? 0) - this.#startOf(row);
  }

  /** Where each cell begins in the bytes, and where the last one ends. */
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

  /**
   * The same cells with a mark in place of each null, and in front of each cell that begins with
   * the mark.
   */
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
    // No code unit takes more than three bytes; for a long text it pays to count them.
    const maxBytes = cell.length > longCellChars ? Buffer.byteLength(cell) : cell.length * 3;
    if (start + maxBytes > this.#bytes.length) this.#grow(start, start + maxBytes);
    return start + this.#bytes.write(cell, start, "utf8");
  }

  #grow(used: number, wanted: number): void {
    // Memory that is never written takes up only addresses.
    const more = Math.min(this.#bytes.length * 3, maxSpareBytes);
    const bytes = Buffer.allocUnsafeSlow(Math.max(wanted, this.#bytes.length + more, minBytes));
    this.#bytes.copy(bytes, 0, 0, used);
    this.moveTo(bytes);
    this.#memory = { buffer: bytes.buffer, isShared: false };
  }

  #addRows(): void {
    const rows = Math.max(minRows, this.#length * 2);
    const [ends, isNull] = [new Float64Array(rows), new Uint8Array(rows)];
    ends.set(this.#ends);
    isNull.set(this.#isNull);
    this.#ends = ends;
    this.#isNull = isNull;
  }
}

type Memory = { readonly buffer: ArrayBufferLike; readonly isShared: boolean };

function freeMemory(memory: Memory | undefined): void {
  // Shared memory is freed once.
  if (memory?.buffer instanceof ArrayBuffer && !memory.buffer.detached) memory.buffer.transfer(0);
}

const longCellChars = 64 * 1024;
const minBytes = 16 * 1024;
const maxSpareBytes = 64 * 1024 * 1024;
const minRows = 64;
