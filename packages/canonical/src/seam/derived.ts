import type { JsonObject } from "../json.ts";
import type { FileContent } from "../part.ts";
import { type Extracted, seal, unseal } from "./extracted.ts";
import { digestOf, type SourceRecord } from "./source-record.ts";

/**
 * Ids for records without one (`lance-deterministic-pk`): the hash of the record's value and how
 * often that value came before in the session. Never a line number: sources prune their files.
 */
export class ContentIds {
  readonly #seen: Map<string, number> = new Map();

  /** The id of a record; a different one each time the same value comes. */
  next(record: SourceRecord): Extracted<string> {
    const digest = record.digest();
    const occurrence = this.#seen.get(digest) ?? 0;
    this.#seen.set(digest, occurrence + 1);
    return seal(occurrence === 0 ? digest : `${digest}.${occurrence}`);
  }
}

/** True where `ContentIds` gave the id to a record of this value, its keys in this order. */
export function isDerivedFrom(id: string, record: JsonObject): boolean {
  return id.startsWith(digestOf(record));
}

/** The id of a part a source gives none: its position in the message. */
export function positionId(position: number): Extracted<string> {
  return seal(String(position));
}

/**
 * The id of the second message one record maps to: the first one's, and a suffix.
 * `secondId(id, "text")` is `<id>#text`.
 */
export function secondId(id: Extracted<string>, suffix: string): Extracted<string> {
  return seal(`${unseal(id)}#${suffix}`);
}

/**
 * Text cut at `offsets` (code units, ascending): one piece more than offsets, empty ones included.
 * Joined in order the pieces are the text again (spec 6.5, rule 1).
 */
export function splitText(
  text: Extracted<string>,
  offsets: readonly number[],
): Extracted<string>[] {
  const whole = unseal(text);
  return [0, ...offsets].map((from, index) =>
    seal(whole.slice(from, offsets[index] ?? whole.length)),
  );
}

/**
 * The bytes of a whole source file, kept as one part. Stored as a blob, so exempt from the size
 * bound (`adapter-bounded-values`).
 */
export function fileBytes(bytes: Uint8Array): Extracted<FileContent> {
  return seal({ type: "bytes", bytes });
}
