import { readSync } from "node:fs";

/** Where something is in a file, in bytes: from `start` up to `end`. */
export type Piece = { readonly start: number; readonly end: number };

/** Where the members of an object are that makes up a file, and the elements of one list in it. */
export type ObjectPieces = {
  /**
   * All members but the list, each from its key to the end of its value. Of several lists of that
   * name the last one counts, as to every parser.
   */
  readonly members: readonly Piece[];
  /** Undefined if there is no list of that name. */
  readonly elements: readonly Piece[] | undefined;
};

/**
 * Finds the pieces of a JSON file, which may be larger than a text can be: it is read once, a chunk
 * at a time. Checks only what is between the pieces; parsing a piece checks the rest.
 *
 * @param list - The name of a list in the file's object.
 * @param chunkBytes - How much is read at once.
 * @returns Undefined if the file holds something else than an object.
 * @throws {SyntaxError} if it is not JSON. @throws the error of the operating system.
 */
export function findPieces(
  handle: number,
  list: string,
  chunkBytes: number = 1024 * 1024,
): ObjectPieces | undefined {
  const scanner = new Scanner(handle, chunkBytes);
  scanner.skipByteOrderMark();
  if (scanner.next() !== codes.openBrace) return undefined;
  const members: Piece[] = [];
  let found: FoundList | undefined;
  scanner.eachItem(codes.closeBrace, () => {
    const key = scanner.skipString();
    scanner.take(codes.colon);
    const isList = isNamed(handle, key, list);
    if (isList && found) members.push(found.member);
    if (isList) found = undefined;
    if (!isList || scanner.next() !== codes.openBracket) {
      members.push({ start: key.start, end: scanner.skipValue().end });
      return;
    }
    const elements: Piece[] = [];
    const end = scanner.eachItem(codes.closeBracket, () => elements.push(scanner.skipValue()));
    found = { member: { start: key.start, end }, elements };
  });
  scanner.expectEnd();
  return { members, elements: found?.elements };
}

type FoundList = { readonly member: Piece; readonly elements: readonly Piece[] };

/** The bytes of a piece. @throws the error of the operating system. */
export function readPiece(handle: number, { start, end }: Piece): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(handle, bytes, at, bytes.length - at, start + at);
    if (count === 0) throw endedEarly();
    at += count;
  }
  return bytes;
}

/** Any character of a key may be written as an escape of six. */
function isNamed(handle: number, key: Piece, name: string): boolean {
  if (key.end - key.start > 6 * name.length + 2) return false;
  return JSON.parse(readPiece(handle, key).toString("utf8")) === name;
}

const codes = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** Passes over the values of a JSON file. */
class Scanner {
  readonly #handle: number;
  readonly #room: Buffer;
  /** What was read last, which begins `#from` bytes into the file. */
  #chunk: Buffer = Buffer.alloc(0);
  #from = 0;
  #at = 0;

  constructor(handle: number, chunkBytes: number) {
    this.#handle = handle;
    this.#room = Buffer.allocUnsafe(chunkBytes);
  }

  skipByteOrderMark(): void {
    for (const byte of byteOrderMark) {
      if (!this.#hasMore() || this.#chunk[this.#at] !== byte) return;
      this.#at += 1;
    }
  }

  /** The first byte that is no space; undefined at the end of the file. */
  next(): number | undefined {
    while (this.#hasMore()) {
      const byte = this.#chunk[this.#at] ?? 0;
      if (!isSpace(byte)) return byte;
      this.#at += 1;
    }
    return undefined;
  }

  /** Passes over this byte, and spaces in front of it. @throws {SyntaxError} for another one. */
  take(expected: number): void {
    if (this.next() !== expected) throw this.#unexpected();
    this.#at += 1;
  }

  /**
   * Calls `item`, which passes over it, for each item from a bracket or brace to its end, which it
   * returns.
   */
  eachItem(close: number, item: () => void): number {
    this.#at += 1;
    if (this.next() !== close) {
      item();
      while (this.next() === codes.comma) {
        this.#at += 1;
        item();
      }
    }
    this.take(close);
    return this.#from + this.#at;
  }

  skipString(): Piece {
    const start = this.#startOf(this.next());
    this.take(codes.quote);
    this.#skipRestOfString();
    return { start, end: this.#from + this.#at };
  }

  skipValue(): Piece {
    const first = this.next();
    const start = this.#startOf(first);
    if (first === codes.quote) return this.skipString();
    if (first === codes.openBrace || first === codes.openBracket) this.#skipNested();
    else this.#skipWord();
    const end = this.#from + this.#at;
    if (end === start) throw this.#unexpected();
    return { start, end };
  }

  expectEnd(): void {
    if (this.next() !== undefined) throw this.#unexpected();
  }

  /** From the quote in front of it. */
  #skipRestOfString(): void {
    let isEscaped = false;
    while (this.#hasMore()) {
      const chunk = this.#chunk;
      const begin: number = this.#at + (isEscaped ? 1 : 0);
      const quote: number = chunk.indexOf(codes.quote, begin);
      const end: number = quote < 0 ? chunk.length : quote;
      let slash = end;
      while (slash > begin && chunk[slash - 1] === codes.backslash) slash -= 1;
      isEscaped = (end - slash) % 2 === 1;
      // An escaped quote is passed over as the rest of the escape.
      this.#at = end;
      if (quote < 0 || isEscaped) continue;
      this.#at += 1;
      return;
    }
    throw endedEarly();
  }

  #skipNested(): void {
    let depth = 0;
    while (this.#hasMore()) {
      const byte = this.#chunk[this.#at] ?? 0;
      this.#at += 1;
      if (byte === codes.quote) this.#skipRestOfString();
      else if (byte === codes.openBrace || byte === codes.openBracket) depth += 1;
      else if (byte === codes.closeBrace || byte === codes.closeBracket) depth -= 1;
      if (depth === 0) return;
    }
    throw endedEarly();
  }

  /** A number, true, false or null. */
  #skipWord(): void {
    while (this.#hasMore()) {
      const byte = this.#chunk[this.#at] ?? 0;
      const isEnd =
        byte === codes.comma || byte === codes.closeBrace || byte === codes.closeBracket;
      if (isEnd || isSpace(byte)) return;
      this.#at += 1;
    }
  }

  #startOf(byte: number | undefined): number {
    if (byte === undefined) throw endedEarly();
    return this.#from + this.#at;
  }

  #hasMore(): boolean {
    if (this.#at < this.#chunk.length) return true;
    this.#from += this.#chunk.length;
    this.#at = 0;
    const count = readSync(this.#handle, this.#room, 0, this.#room.length, this.#from);
    this.#chunk = this.#room.subarray(0, count);
    return count > 0;
  }

  /** Names no text of the file, which may be an API key. */
  #unexpected(): SyntaxError {
    if (this.next() === undefined) return endedEarly();
    return new SyntaxError(`Unexpected token at byte ${this.#from + this.#at}`);
  }
}

const byteOrderMark = Buffer.from("\ufeff");

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function endedEarly(): SyntaxError {
  return new SyntaxError("Unexpected end of JSON input");
}
