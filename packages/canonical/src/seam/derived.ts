import type { JsonObject } from "../json.ts";
import type { FileContent } from "../part.ts";
import { type Extracted, seal, unseal } from "./extracted.ts";
import { digestOf, type SourceRecord } from "./source-record.ts";

/**
 * Makes ids for records that have none (`lance-deterministic-pk`): the hash of the record's value,
 * and how often that value came before in the session. Never a line number, because sources prune
 * their files.
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

/** True if `ContentIds` gave this id to a record of this value with its keys in this order. */
export function isDerivedFrom(id: string, record: JsonObject): boolean {
  return id.startsWith(digestOf(record));
}

/** The id of a part that has none in its source: its position in the message. */
export function positionId(position: number): Extracted<string> {
  return seal(String(position));
}

/**
 * The id of the second message that one record maps to: the first message's id and a suffix.
 * `suffixedId(id, "text")` is `<id>#text`.
 */
export function suffixedId(id: Extracted<string>, suffix: string): Extracted<string> {
  return seal(`${unseal(id)}#${suffix}`);
}

/**
 * Cuts a text at `offsets` (code units, ascending) into one piece more than there are offsets,
 * empty pieces included. The pieces joined in order are the text again (spec 6.5, rule 1).
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
 * The bytes of a whole source file, kept as one part. They are stored as a blob and are therefore
 * exempt from the size bound (`adapter-bounded-values`).
 */
export function fileBytes(bytes: Uint8Array): Extracted<FileContent> {
  return seal({ type: "bytes", bytes });
}
