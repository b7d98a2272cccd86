import { isUtf8 } from "node:buffer";
import { maxValueBytes } from "./bounded.ts";

/** @inline */
type LinePlace = {
  /** From 1; blank lines count. */
  readonly number: number;
  /** Of the line's first byte in the file. */
  readonly byteOffset: number;
  /** Without the line's end (LF or CRLF). */
  readonly byteLength: number;
  /** False only for a last line without its newline: it may still be being written. */
  readonly isTerminated: boolean;
};

/** A line, or why it has no text: the bytes of one that is too long are counted, and not kept. */
export type Line =
  | (LinePlace & { readonly text: string; readonly fault?: never })
  | (LinePlace & {
      readonly fault: "invalid_utf8";
      readonly bytes: Uint8Array;
      readonly text?: never;
    })
  | (LinePlace & { readonly fault: "too_long"; readonly text?: never });

/** How far a line may go. */
export type LineOptions = {
  /** Longest line that becomes text; hardly more than this is ever held. Default 256 MiB. */
  readonly maxLineBytes?: number;
};

/**
 * The lines of a byte stream, one batch per chunk. A byte order mark at the start is left out,
 * CRLF ends a line as LF does, and bytes that are no UTF-8 are a fault, never replaced. Chunks
 * are held until their last line ends, so a caller does not write to them again.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  { maxLineBytes = maxValueBytes }: LineOptions = {},
): AsyncGenerator<readonly Line[]> {
  const splitter = new LineSplitter(maxLineBytes);
  for await (const chunk of withoutMark(chunks, splitter)) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield lines;
  }
  const last = splitter.end();
  if (last) yield [last];
}

async function* withoutMark(
  chunks: AsyncIterable<Uint8Array>,
  splitter: LineSplitter,
): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (start === undefined) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < mark.length) continue;
    const isMarked = start.subarray(0, mark.length).equals(mark);
    if (isMarked) splitter.skip(mark.length);
    yield isMarked ? start.subarray(mark.length) : start;
    start = undefined;
  }
  if (start) yield start;
}

class LineSplitter {
  readonly #maxLineBytes: number;
  #number = 1;
  #offset = 0;
  /** What came of a line that no newline has ended yet; dropped once it is too long. */
  #pieces: Buffer[] = [];
  #piecesBytes = 0;
  #lastByte: number | undefined;

  constructor(maxLineBytes: number) {
    this.#maxLineBytes = maxLineBytes;
  }

  /** Counts bytes before the first line. */
  skip(bytes: number): void {
    this.#offset += bytes;
  }

  push(chunk: Buffer): Line[] {
    const first = chunk.indexOf(newline);
    if (first < 0) {
      this.#keep(chunk);
      return [];
    }
    const lines: Line[] = [];
    let from = 0;
    if (this.#piecesBytes > 0) {
      this.#keep(chunk.subarray(0, first));
      lines.push(this.#takeKept(true));
      from = first + 1;
    }
    const stop = chunk.lastIndexOf(newline) + 1;
    // Asked once for all lines, because a call costs more than it takes to check a line.
    const isText = isUtf8(chunk.subarray(from, stop));
    while (from < stop) {
      const end = chunk.indexOf(newline, from);
      lines.push(this.#cut(chunk, from, end, isText));
      from = end + 1;
    }
    this.#keep(chunk.subarray(stop));
    return lines;
  }

  /** The last line, where no newline ended it. */
  end(): Line | undefined {
    return this.#piecesBytes > 0 ? this.#takeKept(false) : undefined;
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#piecesBytes += piece.length;
    this.#lastByte = piece.at(-1);
    // One more for the CR that may come last and does not count.
    if (this.#piecesBytes <= this.#maxLineBytes + 1) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #takeKept(isTerminated: boolean): Line {
    const [pieces, bytes] = [this.#pieces, this.#piecesBytes];
    this.#pieces = [];
    this.#piecesBytes = 0;
    if (pieces.length > 0) return this.#cut(Buffer.concat(pieces), 0, bytes, false, isTerminated);
    const isCrlf = isTerminated && this.#lastByte === carriageReturn;
    return { ...this.#place(bytes, isCrlf ? bytes - 1 : bytes, isTerminated), fault: "too_long" };
  }

  #cut(buffer: Buffer, from: number, end: number, isText: boolean, isTerminated = true): Line {
    const isCrlf = isTerminated && end > from && buffer[end - 1] === carriageReturn;
    const stop = isCrlf ? end - 1 : end;
    const place = this.#place(end - from, stop - from, isTerminated);
    if (stop - from > this.#maxLineBytes) return { ...place, fault: "too_long" };
    const bytes = buffer.subarray(from, stop);
    if (!isText && !isUtf8(bytes)) return { ...place, fault: "invalid_utf8", bytes };
    return { ...place, text: buffer.toString("utf8", from, stop) };
  }

  #place(bytes: number, byteLength: number, isTerminated: boolean): LinePlace {
    const place = { number: this.#number++, byteOffset: this.#offset, byteLength, isTerminated };
    this.#offset += bytes + (isTerminated ? 1 : 0);
    return place;
  }
}

const mark = Buffer.from([0xef, 0xbb, 0xbf]);
const newline = 0x0a;
const carriageReturn = 0x0d;
