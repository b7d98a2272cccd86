import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { FaultEvent, PendingEvent, SourceLocation } from "@pond/canonical";
import { parseJson, SourceFault } from "@pond/canonical";
import {
  type Line,
  openRecord,
  readLines,
  type SourceRecord,
  truncatedRecord,
} from "@pond/canonical/adapter";
import { origin } from "./origin.ts";

/** A record of a log, or what stands in its place. */
export type LogEntry = RecordEntry | FaultEvent | PendingEvent;
type RecordEntry = { readonly kind: "record"; readonly record: SourceRecord };

export type LogOptions = {
  /** Longest line that is parsed; a longer one becomes a fault and a marked sentinel. */
  readonly maxLineBytes?: number;
  readonly signal?: AbortSignal | undefined;
  /** Bytes read at a time. */
  readonly chunkBytes?: number;
};

/** The records of a session file, a batch per chunk. @throws where the file cannot be read. */
export async function* readRecords(
  file: string,
  { signal, chunkBytes = 1024 * 1024, ...limits }: LogOptions = {},
): AsyncIterable<readonly LogEntry[]> {
  for await (const lines of readLines(readChunks(file, chunkBytes), limits)) {
    signal?.throwIfAborted();
    const entries: LogEntry[] = [];
    for (const line of lines) readLine(line, file, entries);
    yield entries;
  }
}

// Synchronous reads: an awaited one costs more than parsing what it brings. Each chunk is a
// buffer of its own, because a line that is not complete keeps the piece it has.
async function* readChunks(file: string, chunkBytes: number): AsyncIterable<Uint8Array> {
  const handle = openSync(file, "r");
  try {
    // One byte more than the file has, so that a read that falls short tells of the end.
    const size = Math.min(fstatSync(handle).size + 1, chunkBytes);
    for (let isEnd = false; !isEnd; ) {
      const buffer = Buffer.allocUnsafeSlow(size);
      const bytes = readSync(handle, buffer);
      isEnd = bytes < size;
      if (bytes > 0) yield buffer.subarray(0, bytes);
    }
  } finally {
    closeSync(handle);
  }
}

function readLine(line: Line, file: string, entries: LogEntry[]): void {
  const { number, byteOffset, byteLength, isTerminated, text } = line;
  const at: SourceLocation = { adapter: origin, uri: file, record: number, byteOffset };
  if (text === undefined) {
    if (!isTerminated) entries.push(pending(at));
    else if (line.fault === "invalid_utf8") entries.push(fault(at, "not valid UTF-8"));
    else {
      entries.push(fault(at, `a line of ${byteLength} bytes, too long to be kept`));
      entries.push({ kind: "record", record: truncatedRecord(at, byteLength) });
    }
    return;
  }
  // A power cut leaves zeros where bytes were to be written, before or behind what was.
  const from = isTerminated && text.charCodeAt(0) === 0 ? zerosEnd(text) : 0;
  const isCut = from > 0 || (isTerminated && text.charCodeAt(text.length - 1) === 0);
  const record = isCut ? text.slice(from, zerosStart(text)) : text;
  if (isCut) entries.push(fault(at, "zeros in place of a record"));
  if (!/\S/.test(record)) return;
  const place = from === 0 ? at : { ...at, byteOffset: byteOffset + from };
  entries.push(readText(record, place, byteLength, isTerminated));
}

function zerosEnd(text: string): number {
  let end = 0;
  while (text.charCodeAt(end) === 0) end++;
  return end;
}

function zerosStart(text: string): number {
  let start = text.length;
  while (text.charCodeAt(start - 1) === 0) start--;
  return start;
}

function readText(
  text: string,
  at: SourceLocation,
  encodedBytes: number,
  isTerminated: boolean,
): LogEntry {
  try {
    return { kind: "record", record: openRecord(at, parseJson(text), { encodedBytes }) };
  } catch (error) {
    if (error instanceof SourceFault) return { kind: "fault", fault: error };
    if (!(error instanceof SyntaxError)) throw error;
    return isTerminated ? fault(at, "not JSON", error) : pending(at);
  }
}

function fault(at: SourceLocation, reason: string, cause?: unknown): FaultEvent {
  return { kind: "fault", fault: new SourceFault(at, reason, { cause }) };
}

/** A last line without its newline may still be being written. */
function pending({ uri, record }: SourceLocation): PendingEvent {
  return { kind: "pending", location: `${uri}:${record}`, reason: "the last line is not complete" };
}
