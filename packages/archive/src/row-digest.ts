import { createHash } from "node:crypto";
import type { Cell, Row } from "@pond/substrate";

const tags = { null: 0, text: 1, integer: 2, number: 3, bytes: 4, vector: 5 } as const;
const headBytes = 9;
// Given to the hash in one piece: giving it each cell takes three times as long.
const bufferBytes = 8 * 1024;
const maxBytesPerUnit = 3;

/**
 * SHA-256 over rows in the order of their keys. A cell is a tag of one byte and eight bytes,
 * little-endian: an integer, a float64, or the number of bytes or numbers that follow. Texts are
 * UTF-8, vectors float32.
 */
export class RowDigest {
  readonly #columns: readonly string[];
  readonly #hash = createHash("sha256");
  readonly #buffer = Buffer.allocUnsafe(bufferBytes);
  readonly #view = new DataView(this.#buffer.buffer, this.#buffer.byteOffset, bufferBytes);
  /** How much of the buffer is not hashed yet. */
  #filled = 0;
  #hashed = 0;
  /** Rows so far. */
  rows = 0;

  constructor(columns: readonly string[]) {
    this.#columns = columns;
  }

  /** Bytes digested so far. */
  get bytes(): number {
    return this.#hashed + this.#filled;
  }

  add(row: Row): void {
    this.rows += 1;
    for (const column of this.#columns) this.#addCell(row[column] ?? null);
  }

  /** The digest in hexadecimal; nothing can be added afterwards. */
  digest(): string {
    this.#empty();
    return this.#hash.digest("hex");
  }

  #addCell(cell: Cell): void {
    if (cell === null) this.#addHead(tags.null, 0);
    else if (typeof cell === "bigint") this.#addInteger(cell);
    else if (typeof cell === "number") this.#addNumber(cell);
    else if (typeof cell === "string") this.#addText(cell);
    else if (cell instanceof Uint8Array) this.#addBytes(tags.bytes, cell);
    else this.#addVector(cell);
  }

  #addInteger(value: bigint): void {
    const at = this.#tagged(tags.integer);
    this.#view.setBigInt64(at, value, true);
  }

  #addNumber(value: number): void {
    const at = this.#tagged(tags.number);
    this.#view.setFloat64(at, value, true);
  }

  #addText(text: string): void {
    const maxBytes = headBytes + text.length * maxBytesPerUnit;
    if (maxBytes > bufferBytes) {
      this.#addBytes(tags.text, Buffer.from(text, "utf8"));
      return;
    }
    this.#makeRoom(maxBytes);
    const at = this.#filled;
    const length = this.#buffer.write(text, at + headBytes, "utf8");
    this.#addHead(tags.text, length);
    this.#filled += length;
  }

  #addBytes(tag: number, bytes: Uint8Array): void {
    this.#addHead(tag, bytes.length);
    this.#update(bytes);
  }

  #addVector(vector: Float32Array): void {
    const numbers = Buffer.alloc(vector.length * 4);
    for (const [at, number] of vector.entries()) numbers.writeFloatLE(number, at * 4);
    this.#addHead(tags.vector, vector.length);
    this.#update(numbers);
  }

  /** @param count - How many bytes or numbers follow. */
  #addHead(tag: number, count: number): void {
    const at = this.#tagged(tag);
    this.#view.setUint32(at, count % 2 ** 32, true);
    this.#view.setUint32(at + 4, Math.floor(count / 2 ** 32), true);
  }

  /** Adds a tag and room for the eight bytes after it; returns where that room is. */
  #tagged(tag: number): number {
    this.#makeRoom(headBytes);
    const at = this.#filled;
    this.#view.setUint8(at, tag);
    this.#filled += headBytes;
    return at + 1;
  }

  #update(bytes: Uint8Array): void {
    if (bytes.length > bufferBytes) {
      this.#empty();
      this.#hash.update(bytes);
      this.#hashed += bytes.length;
      return;
    }
    this.#makeRoom(bytes.length);
    this.#buffer.set(bytes, this.#filled);
    this.#filled += bytes.length;
  }

  #makeRoom(bytes: number): void {
    if (this.#filled + bytes > bufferBytes) this.#empty();
  }

  #empty(): void {
    this.#hash.update(this.#buffer.subarray(0, this.#filled));
    this.#hashed += this.#filled;
    this.#filled = 0;
  }
}
