import type { JsonObject, Message } from "@pond/canonical";
import { carriedRecord, objectAt, objectOf, type SessionContent } from "@pond/canonical/adapter";
import { fileName } from "./layout.ts";

/**
 * Where lines of one file have to end, in bytes, ascending, by the last ordinal before each end.
 */
export type CutOffs = ReadonlyMap<number, readonly number[]>;

/**
 * Where files continue from others. A paginated thread that was forked or reverted names the end of
 * the part it begins with, as an ordinal and as a byte offset. The client refuses a thread whose
 * offset is past the end of the other file, and a number such as `1.0` is restored shorter. Records
 * of an older client without ordinals may be on either side of such an end.
 *
 * @returns For each file, by the id at the end of its name.
 */
export function cutOffsOf(contents: readonly SessionContent[]): ReadonlyMap<string, CutOffs> {
  const found = new Map<string, Map<number, readonly number[]>>();
  for (const { messages } of contents) {
    for (const message of messages) {
      const { file, end, bytes } = historyBase(message) ?? {};
      if (file === undefined || end === undefined || bytes === undefined) continue;
      const ends = found.get(file) ?? new Map<number, readonly number[]>();
      const all = [...new Set([...(ends.get(end - 1) ?? []), bytes])];
      all.sort((one, other) => one - other);
      found.set(file, ends.set(end - 1, all));
    }
  }
  return found;
}

/** The part of another file that a file begins with. */
export type HistoryBase = {
  /** The id at the end of that file's name. */
  readonly file: string;
  /** The ordinal of the first record after it. */
  readonly end: number;
  /** The same place in bytes. */
  readonly bytes?: number;
};

/**
 * The part of another file that a header says its file continues; undefined for all other records.
 */
export function historyBase(message: Message): HistoryBase | undefined {
  const record = carriedRecord(message);
  if (record?.["type"] !== "session_meta") return undefined;
  const base = objectAt(objectOf(record["payload"]), "history_base");
  const { thread_id: file, end_ordinal_exclusive: end, end_byte_offset: bytes } = base;
  if (typeof file !== "string" || typeof end !== "number") return undefined;
  return { file, end, ...(typeof bytes === "number" && { bytes }) };
}

/** The id by which other files refer to this one. */
export function fileId(path: string): string {
  const { thread, rollout } = fileName(path.split("/").at(-1) ?? "") ?? {};
  return rollout ?? thread ?? path;
}

/** Pads lines with white space if one must not end before a cut-off. */
export class Padding {
  readonly #cutOffs: CutOffs;
  /** The ends for the last line with an ordinal. */
  #ends: readonly number[] = [];
  #bytes = 0;

  constructor(cutOffs: CutOffs) {
    this.#cutOffs = cutOffs;
  }

  /** The padding of the line before this one, which may also be before the cut-off. */
  before(line: string, { ordinal }: JsonObject): string {
    const bytes = Buffer.byteLength(line) + 1;
    const isNumbered = typeof ordinal === "number";
    const spaces = this.#spaces(isNumbered ? Number.POSITIVE_INFINITY : bytes);
    this.#bytes += bytes;
    if (isNumbered) this.#ends = this.#cutOffs.get(ordinal) ?? [];
    return spaces;
  }

  /** The padding of the last line. */
  end(): string {
    return this.#spaces(Number.POSITIVE_INFINITY);
  }

  #spaces(next: number): string {
    const end = this.#ends.find((each) => each >= this.#bytes);
    if (end === undefined) return "";
    const missing = end - this.#bytes;
    // Numbers lose a few bytes. An end far away does not belong to this file, whatever the other
    // one says.
    if (missing >= next || missing > this.#bytes) return "";
    this.#bytes += missing;
    return " ".repeat(missing);
  }
}
