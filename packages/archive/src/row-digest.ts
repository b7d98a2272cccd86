import { createHash } from "node:crypto";
import type { Cell, Row } from "@pond/substrate";

const tags = { null: 0, text: 1, integer: 2, number: 3, bytes: 4, vector: 5 } as const;
const headBytes = 9;

/**
 * SHA-256 over rows in the order of their keys. A cell is a tag of one byte and eight bytes,
 * little-endian: an integer, a float64, or how many bytes or numbers follow. Texts are UTF-8,
 * vectors float32.
 */
export class RowDigest {
  readonly #columns: readonly string[];
  readonly #hash = createHash("sha256");
  readonly #head = Buffer.alloc(headBytes);
  /** Rows so far. */
  rows = 0;
  /** Bytes digested so far. */
  bytes = 0;

  constructor(columns: readonly string[]) {
    this.#columns = columns;
  }

  add(row: Row): void {
    this.rows += 1;
    for (const column of this.#columns) this.#addCell(row[column] ?? null);
  }

  /** Hexadecimal; nothing can be added afterwards. */
  digest(): string {
    return this.#hash.digest("hex");
  }

  #addCell(cell: Cell): void {
    if (cell === null) this.#addHead(tags.null, 0n);
    else if (typeof cell === "bigint") this.#addHead(tags.integer, cell);
    else if (typeof cell === "number") this.#addNumber(cell);
    else if (typeof cell === "string") this.#addBytes(tags.text, Buffer.from(cell, "utf8"));
    else if (cell instanceof Uint8Array) this.#addBytes(tags.bytes, cell);
    else this.#addVector(cell);
  }

  #addHead(tag: number, value: bigint): void {
    this.#head.writeUInt8(tag, 0);
    this.#head.writeBigInt64LE(value, 1);
    this.#update(this.#head);
  }

  #addNumber(value: number): void {
    this.#head.writeUInt8(tags.number, 0);
    this.#head.writeDoubleLE(value, 1);
    this.#update(this.#head);
  }

  #addBytes(tag: number, bytes: Uint8Array): void {
    this.#addHead(tag, BigInt(bytes.length));
    this.#update(bytes);
  }

  #addVector(vector: Float32Array): void {
    const numbers = Buffer.alloc(vector.length * 4);
    for (const [at, number] of vector.entries()) numbers.writeFloatLE(number, at * 4);
    this.#addHead(tags.vector, BigInt(vector.length));
    this.#update(numbers);
  }

  #update(bytes: Uint8Array): void {
    this.bytes += bytes.byteLength;
    this.#hash.update(bytes);
  }
}
