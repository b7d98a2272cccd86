import { isUtf8 } from "node:buffer";
import { SourceFault, type SourceLocation } from "../errors.ts";
import { type FaultEvent, type PendingEvent, recordCountOf } from "../event.ts";
import { type JsonValue, parseJson, tryParseObject } from "../json.ts";
import { hasTooManyValues, TooManyValuesError } from "../value-count.ts";
import { splitJoinedRecords } from "./joined-records.ts";
import { type Line, type LineOptions, mapLines } from "./lines.ts";
import type { RecordCount } from "./record-count.ts";
import { openRecord, type SourceRecord, truncatedRecord } from "./source-record.ts";

/** One record of a JSON Lines file. */
export type RecordEvent = {
  readonly kind: "record";
  readonly record: SourceRecord;
  /** True if the record was too long and a sentinel stands for it: carry that whole. */
  readonly isTruncated: boolean;
};

/** A record, or what stands in its place. */
export type RecordOutcome = RecordEvent | FaultEvent | PendingEvent;
/** Which adapter reads which source, for faults. @inline */
type Source = { readonly adapter: string; readonly uri: string };
/** @inline */
type RecordsOptions = LineOptions & {
  readonly signal?: AbortSignal | undefined;
  /** Told how many lines are not blank. */
  readonly count?: RecordCount | undefined;
  /** True if nobody writes to the source any more. Default: somebody may. */
  readonly isLeftAlone?: (() => boolean) | undefined;
};

/**
 * The records of a JSON Lines stream, one batch per chunk or several; blank lines are skipped.
 *
 * - A line that is not a JSON object is a fault. It costs nothing else, not even whole records on
 *   the same line.
 * - The end of a last line without its newline is pending until it is whole. In a source that is left
 *   alone it is a fault that needs no action: what wrote it ended in the middle.
 * - A line past the bound, or of more than eight million values, is a fault and a sentinel
 *   (`adapter-bounded-values`).
 */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  source: Source,
  { signal, count, isLeftAlone = () => false, ...limits }: RecordsOptions = {},
): AsyncGenerator<readonly RecordOutcome[]> {
  const read = (line: Line): readonly RecordOutcome[] => {
    signal?.throwIfAborted();
    count?.add(isBlank(line) ? 0 : 1);
    const { isTerminated } = line;
    return readLine(line, source, { count, isFinal: () => isTerminated || isLeftAlone() });
  };
  yield* mapLines(chunks, read, limits);
}

function isBlank({ text }: Line): boolean {
  return text !== undefined && text.trim() === "";
}

type ReadLineOptions = {
  readonly count: RecordCount | undefined;
  /** False if the line may still become longer. */
  readonly isFinal: () => boolean;
};

function readLine(
  line: Line,
  { adapter, uri }: Source,
  { count, isFinal }: ReadLineOptions,
): readonly RecordOutcome[] {
  const { number, byteOffset, byteLength, isTerminated, text } = line;
  const at = { adapter, uri, record: number, byteOffset };
  const pending: PendingEvent = {
    kind: "pending",
    location: `${uri}:${number}`,
    reason: "the line has no end yet",
  };
  const unkept = whyUnkept(line);
  if (unkept !== undefined) {
    if (!isFinal()) return [pending];
    const outcomes = standIn(at, byteLength, unkept);
    return isTerminated ? outcomes : outcomes.map(withoutAction);
  }
  const found = text === undefined ? readBytes(line, at) : readText(text, at, byteLength);
  const outcomes = isTerminated ? found : outcomesAtEnd(found, { pending, text, isFinal });
  const recordCount = outcomes.reduce((sum, each) => sum + outcomeRecordCount(each), 0);
  if (recordCount > 1) count?.add(recordCount - 1);
  return outcomes;
}

/** Why a line is not kept as it is; undefined if it is. */
function whyUnkept(line: Line): string | undefined {
  if (line.fault === "too_long") return `a line of ${line.byteLength} bytes is too long to be kept`;
  return hasTooManyValues(textOf(line)) ? new TooManyValuesError().message : undefined;
}

/** A fault, and a sentinel in place of the line. */
function standIn(at: SourceLocation, byteLength: number, reason: string): readonly RecordOutcome[] {
  const record = truncatedRecord(at, byteLength);
  return [
    { ...fault(at, reason), records: 0 },
    { kind: "record", record, isTruncated: true },
  ];
}

/** Of a line that is not UTF-8, one character for each byte. */
function textOf(line: Line): string {
  if (line.fault !== "invalid_utf8") return line.text ?? "";
  const { buffer, byteOffset, byteLength } = line.bytes;
  return Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
}

type EndOfLog = {
  readonly pending: PendingEvent;
  readonly text: string | undefined;
  readonly isFinal: () => boolean;
};

/**
 * The outcomes of a line that has no end. Its last piece is whole if it is a record; otherwise it is
 * still being written, or was torn. What stands in front of that may have been read when nothing
 * followed it.
 */
function outcomesAtEnd(
  outcomes: readonly RecordOutcome[],
  { pending, text, isFinal }: EndOfLog,
): readonly RecordOutcome[] {
  // Zeros at its end are reported first.
  const isBeforeZeros = text?.endsWith("\0") ?? false;
  const others = isBeforeZeros ? outcomes.slice(1) : outcomes;
  const isWhole = others.at(-1)?.kind === "record";
  if (outcomes.length === 0 || (isWhole && !isBeforeZeros)) return outcomes;
  if (isFinal()) return outcomes.map(withoutAction);
  const certain = isWhole ? others : others.slice(0, -1);
  if (!certain.some(({ kind }) => kind === "record")) return [pending];
  // Zeros after a record are not a record.
  return [...certain, isWhole ? { ...pending, records: 0 } : pending];
}

/** Nobody can do anything about what was never written. */
function withoutAction(outcome: RecordOutcome): RecordOutcome {
  return outcome.kind === "fault" ? { ...outcome, isLeftover: true } : outcome;
}

/** How many records an outcome accounts for. */
function outcomeRecordCount(outcome: RecordOutcome): number {
  return outcome.kind === "record" ? 1 : recordCountOf(outcome);
}

function readText(
  text: string,
  at: SourceLocation,
  encodedBytes: number,
): readonly RecordOutcome[] {
  if (text.trim() === "") return [];
  if (text.startsWith("\0") || text.endsWith("\0")) return readBesideZeros(text, at, encodedBytes);
  try {
    return [recordAt(at, parseJson(text), encodedBytes)];
  } catch (error) {
    if (error instanceof SourceFault) return [{ kind: "fault", fault: error }];
    if (!(error instanceof SyntaxError)) throw error;
    const bytes = Buffer.from(text);
    return readPieces(bytes, at) ?? [fault(at, `not JSON: ${error.message}`, error)];
  }
}

/** The whole records on a line where other bytes are not UTF-8. */
function readBytes(line: Line, at: SourceLocation): readonly RecordOutcome[] {
  if (line.fault !== "invalid_utf8") return [fault(at, "not UTF-8")];
  const { buffer, byteOffset, byteLength } = line.bytes;
  return readPieces(Buffer.from(buffer, byteOffset, byteLength), at) ?? [fault(at, "not UTF-8")];
}

/** The records of a line that is not one itself; undefined if nothing on it is whole. */
function readPieces(bytes: Buffer, at: SourceLocation): readonly RecordOutcome[] | undefined {
  const outcomes: RecordOutcome[] = [];
  let records = 0;
  // One character per byte: JSON's syntax is ASCII, and no byte of another character is.
  for (const { from, end, isWhole } of splitJoinedRecords(bytes.toString("latin1"))) {
    const place = { ...at, byteOffset: (at.byteOffset ?? 0) + from };
    const piece = bytes.subarray(from, end);
    const found = isWhole && isUtf8(piece) ? tryParseObject(piece.toString()) : undefined;
    if (found) {
      records++;
      outcomes.push(recordAt(place, found, piece.length));
      // Consecutive bytes that are no record are reported once: there may be millions of them.
    } else if (outcomes.at(-1)?.kind !== "fault") outcomes.push(fault(place, notWholeReason));
  }
  if (records === 0) return undefined;
  if (records < outcomes.length) return outcomes;
  const sharedLine = fault(at, `${records} records on one line: each is kept`);
  return [{ ...sharedLine, records: 0, isLogWhole: true, isLeftover: true }, ...outcomes];
}

function recordAt(at: SourceLocation, value: JsonValue, encodedBytes: number): RecordEvent {
  return { kind: "record", record: openRecord(at, value, { encodedBytes }), isTruncated: false };
}

const notWholeReason = "not a whole record; what else is on its line is kept";

/** A power cut leaves zeros where bytes were to be written, before or after a whole record. */
function readBesideZeros(
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
