import { isUtf8 } from "node:buffer";
import { collectGarbage } from "../collect-garbage.ts";
import { maxValueBytes } from "./bounded.ts";
import { freeBytes, KeptBytes } from "./kept-bytes.ts";

/** @inline */
type LinePlace = {
  /** From 1; blank lines count. */
  readonly number: number;
  /** The offset of the line's first byte in the file. */
  readonly byteOffset: number;
  /** Without the line's end (LF or CRLF). */
  readonly byteLength: number;
  /** False only for a last line without its newline, which may still be being written. */
  readonly isTerminated: boolean;
};

/** A line, or the reason why it has no text. A line that is too long is counted but not kept. */
export type Line =
  | (LinePlace & { readonly text: string; readonly fault?: never })
  | (LinePlace & {
      readonly fault: "invalid_utf8";
      readonly bytes: Uint8Array;
      readonly text?: never;
    })
  | (LinePlace & { readonly fault: "too_long"; readonly text?: never });

/** The limit for a line. */
export type LineOptions = {
  /** Longest line that becomes text; hardly more than this is ever held. Default 256 MiB. */
  readonly maxLineBytes?: number;
};

/**
 * The lines of a byte stream, one batch per chunk, or several if there are many lines in it. A byte
 * order mark at the start is left out, CRLF ends a line as LF does, and bytes that are not UTF-8 are
 * a fault, never replaced. Chunks are held until their last line ends, so the caller must not write
 * to them again.
 */
export function readLines(
  chunks: AsyncIterable<Uint8Array>,
  options: LineOptions = {},
): AsyncGenerator<readonly Line[]> {
  return mapLines(chunks, (line) => [line], options);
}

/**
 * Maps each line of a byte stream; lines are those of {@link readLines}. A large line is not held
 * afterwards, and its result is a batch of its own, so that whoever is done with it can let it go.
 */
export async function* mapLines<T>(
  chunks: AsyncIterable<Uint8Array>,
  toItems: (line: Line) => readonly T[],
  { maxLineBytes = maxValueBytes }: LineOptions = {},
): AsyncGenerator<readonly T[]> {
  const splitter = new LineSplitter(maxLineBytes, toItems);
  for await (const chunk of withoutByteOrderMark(chunks, splitter)) {
    for (const items of splitter.push(chunk)) if (items.length > 0) yield items;
  }
  const last = splitter.end();
  if (last.length > 0) yield last;
}

async function* withoutByteOrderMark(
  chunks: AsyncIterable<Uint8Array>,
  splitter: { skip(bytes: number): void },
): AsyncGenerator<Buffer> {
  let start: Buffer | undefined = Buffer.alloc(0);
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (start === undefined) {
      yield chunk;
      continue;
    }
    start = Buffer.concat([start, chunk]);
    if (start.length < byteOrderMark.length) continue;
    const isMarked = start.subarray(0, byteOrderMark.length).equals(byteOrderMark);
    if (isMarked) splitter.skip(byteOrderMark.length);
    yield isMarked ? start.subarray(byteOrderMark.length) : start;
    start = undefined;
  }
  if (start) yield start;
}

// A chunk of broken lines may hold 100,000, and the fault of each takes a thousand times the line.
const maxBatchLines = 2_000;

class LineSplitter<T> {
  readonly #maxLineBytes: number;
  readonly #toItems: (line: Line) => readonly T[];
  #number = 1;
  #offset = 0;
  /** The beginning of a line that no newline has ended yet; dropped once it is too long. */
  readonly #kept = new KeptBytes();
  #keptBytes = 0;
  #lastByte: number | undefined;

  constructor(maxLineBytes: number, toItems: (line: Line) => readonly T[]) {
    this.#maxLineBytes = maxLineBytes;
    this.#toItems = toItems;
  }

  /** Counts bytes before the first line. */
  skip(bytes: number): void {
    this.#offset += bytes;
  }

  /** Maps the lines that end in a chunk. */
  *push(chunk: Buffer): Generator<readonly T[]> {
    const first = chunk.indexOf(newline);
    if (first < 0) {
      this.#keep(chunk);
      return;
    }
    let lines: Line[] = [];
    let from = 0;
    if (this.#keptBytes > 0) {
      this.#keep(chunk.subarray(0, first));
      if (this.#kept.isLarge) yield this.#takeLarge(true);
      else lines.push(this.#takeKept(true));
      from = first + 1;
    }
    const stop = chunk.lastIndexOf(newline) + 1;
    // Checked once for all lines, because a call costs more than checking a line does.
    const isText = isUtf8(chunk.subarray(from, stop));
    while (from < stop) {
      const end = chunk.indexOf(newline, from);
      lines.push(this.#cut(chunk, from, end, isText));
      from = end + 1;
      if (lines.length < maxBatchLines) continue;
      yield lines.flatMap(this.#toItems);
      lines = [];
    }
    this.#keep(chunk.subarray(stop));
    yield lines.flatMap(this.#toItems);
  }

  /** The last line, if no newline ended it. */
  end(): readonly T[] {
    if (this.#kept.isLarge) return this.#takeLarge(false);
    return this.#keptBytes > 0 ? this.#toItems(this.#takeKept(false)) : [];
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#keptBytes += piece.length;
    this.#lastByte = piece.at(-1);
    // One byte more, for a CR that may come last and does not count.
    if (this.#keptBytes <= this.#maxLineBytes + 1) this.#kept.add(piece);
    else this.#kept.clear();
  }

  #takeLarge(isTerminated: boolean): readonly T[] {
    const items = this.#toItems(this.#takeKept(isTerminated));
    // The text was as large again, and nobody needs it any more.
    collectGarbage();
    return items;
  }

  #takeKept(isTerminated: boolean): Line {
    const bytes = this.#keptBytes;
    this.#keptBytes = 0;
    if (this.#kept.length > 0) {
      const { isLarge } = this.#kept;
      const kept = this.#kept.take();
      const line = this.#cut(kept, 0, bytes, false, isTerminated);
      // The text is another copy. The bytes of a fault are its own, so they stay.
      if (isLarge && line.fault === undefined) freeBytes(kept);
      return line;
    }
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

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const newline = 0x0a;
const carriageReturn = 0x0d;
