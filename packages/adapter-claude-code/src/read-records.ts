import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { FaultEvent, PendingEvent, SourceLocation } from "@pond/canonical";
import { parseJson, SourceFault } from "@pond/canonical";
import { type Line, openRecord, readLines, type SourceRecord } from "@pond/canonical/adapter";
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
    yield lines.flatMap((line) => readLine(line, file));
  }
}

// Synchronous reads: an awaited one costs more than parsing what it brings. Each chunk is a
// buffer of its own, because a line that is not complete keeps the piece it has.
async function* readChunks(file: string, chunkBytes: number): AsyncIterable<Uint8Array> {
  const handle = openSync(file, "r");
  try {
    // One byte more than the file has, so that its end is seen without another read.
    const size = Math.min(fstatSync(handle).size + 1, chunkBytes);
    for (;;) {
      const buffer = Buffer.allocUnsafeSlow(size);
      const bytes = readSync(handle, buffer);
      if (bytes > 0) yield buffer.subarray(0, bytes);
      if (bytes === 0) return;
    }
  } finally {
    closeSync(handle);
  }
}

function readLine(line: Line, file: string): readonly LogEntry[] {
  const { number, byteOffset, byteLength, isTerminated } = line;
  const at: SourceLocation = { adapter: origin, uri: file, record: number, byteOffset };
  if (line.fault !== undefined) {
    if (!isTerminated) return [pending(at)];
    if (line.fault === "invalid_utf8") return [fault(at, "not valid UTF-8")];
    const sentinel = openRecord(at, { pond_truncated: { bytes: byteLength } });
    const reason = `a line of ${byteLength} bytes, too long to be kept`;
    return [fault(at, reason), { kind: "record", record: sentinel }];
  }
  if (!/\S/.test(line.text)) return [];
  const isDamaged = isTerminated && (line.text.startsWith("\0") || line.text.endsWith("\0"));
  return isDamaged ? readDamaged(line.text, at) : [readText(line.text, at, isTerminated)];
}

/** A power cut leaves zeros where bytes were to be written, before or behind what was. */
function readDamaged(text: string, at: SourceLocation): readonly LogEntry[] {
  const from = text.search(/[^\0]/);
  const zeros = fault(at, "zeros in place of a record");
  if (from < 0) return [zeros];
  let end = text.length;
  while (text.charCodeAt(end - 1) === 0) end--;
  const place = { ...at, byteOffset: (at.byteOffset ?? 0) + from };
  return [zeros, readText(text.slice(from, end), place, true)];
}

function readText(text: string, at: SourceLocation, isTerminated: boolean): LogEntry {
  try {
    return { kind: "record", record: openRecord(at, parseJson(text)) };
  } catch (error) {
    if (SourceFault.is(error) && error instanceof SourceFault)
      return { kind: "fault", fault: error };
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
