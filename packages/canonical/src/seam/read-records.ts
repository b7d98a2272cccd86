import { SourceFault, type SourceLocation } from "../errors.ts";
import type { FaultEvent, PendingEvent } from "../event.ts";
import { parseJson } from "../json.ts";
import { type Line, type LineOptions, readLines } from "./lines.ts";
import type { RecordCount } from "./record-count.ts";
import { openRecord, type SourceRecord, truncatedRecord } from "./source-record.ts";

/** One record of a JSON Lines file. */
export type RecordEvent = {
  readonly kind: "record";
  readonly record: SourceRecord;
  /** True where the record was too long and a sentinel stands for it: carry that whole. */
  readonly isTruncated: boolean;
};

/** A record, or what stands in its place. */
export type RecordOutcome = RecordEvent | FaultEvent | PendingEvent;
/** Who reads what, for faults. @inline */
type Source = { readonly adapter: string; readonly uri: string };
/** @inline */
type RecordsOptions = LineOptions & {
  readonly signal?: AbortSignal | undefined;
  /** Told how many lines are no blank ones. */
  readonly count?: RecordCount | undefined;
};

/**
 * The records of a JSON Lines stream, one batch per chunk; blank lines are none. A line that is
 * no JSON object is a fault and costs nothing else; a last line without its newline is pending
 * until it is whole. A line past the bound is a fault and a sentinel (`adapter-bounded-values`).
 */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  source: Source,
  { signal, count, ...limits }: RecordsOptions = {},
): AsyncGenerator<readonly RecordOutcome[]> {
  for await (const lines of readLines(chunks, limits)) {
    signal?.throwIfAborted();
    count?.add(lines.reduce((records, line) => records + (isBlank(line) ? 0 : 1), 0));
    const outcomes = lines.flatMap((line) => readLine(line, source));
    if (outcomes.length > 0) yield outcomes;
  }
}

function isBlank({ text }: Line): boolean {
  return text !== undefined && text.trim() === "";
}

function readLine(line: Line, { adapter, uri }: Source): readonly RecordOutcome[] {
  const { number, byteOffset, byteLength, isTerminated, text } = line;
  const at = { adapter, uri, record: number, byteOffset };
  if (line.fault === "too_long" && isTerminated) {
    const record = truncatedRecord(at, byteLength);
    const isTooLong = fault(at, `a line of ${byteLength} bytes is too long to be kept`);
    return [
      { ...isTooLong, records: 0 },
      { kind: "record", record, isTruncated: true },
    ];
  }
  const outcomes = text === undefined ? [fault(at, "not UTF-8")] : readText(text, at, byteLength);
  const isWhole = isTerminated || outcomes.every(({ kind }) => kind === "record");
  if (isWhole) return outcomes;
  return [{ kind: "pending", location: `${uri}:${number}`, reason: "the line has no end yet" }];
}

function readText(
  text: string,
  at: SourceLocation,
  encodedBytes: number,
): readonly RecordOutcome[] {
  if (text.trim() === "") return [];
  if (text.startsWith("\0") || text.endsWith("\0")) return readDamaged(text, at, encodedBytes);
  try {
    const record = openRecord(at, parseJson(text), { encodedBytes });
    return [{ kind: "record", record, isTruncated: false }];
  } catch (error) {
    if (error instanceof SyntaxError) return [fault(at, `not JSON: ${error.message}`, error)];
    if (error instanceof SourceFault) return [{ kind: "fault", fault: error }];
    throw error;
  }
}

/** A power cut leaves zeros where bytes were to be written, before or behind a whole record. */
function readDamaged(
  text: string,
  at: SourceLocation,
  encodedBytes: number,
): readonly RecordOutcome[] {
  let from = 0;
  while (text.charCodeAt(from) === 0) from++;
  let end = text.length;
  while (end > from && text.charCodeAt(end - 1) === 0) end--;
  const place = { ...at, byteOffset: (at.byteOffset ?? 0) + from };
  const zeros = fault(at, "zeros in place of a record");
  const found = readText(text.slice(from, end), place, encodedBytes);
  return found.length === 0 ? [zeros] : [{ ...zeros, records: 0 }, ...found];
}

function fault(at: SourceLocation, reason: string, cause?: unknown): FaultEvent {
  return { kind: "fault", fault: new SourceFault(at, reason, { cause }) };
}
