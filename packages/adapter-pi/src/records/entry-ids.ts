import { hash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { ContentIds, type Extracted, openRecord, type SourceRecord } from "@pond/canonical/adapter";
import { hashOf } from "./blobs.ts";

/** Hands out the ids of one session's messages, each once. */
export class EntryIds {
  readonly #seen: Set<string> = new Set();
  readonly #derived: ContentIds = new ContentIds();

  /** The entry's own id; undefined if it has none, or another entry had it before. */
  own(record: SourceRecord): Extracted<string> | undefined {
    const id = record.peek("id");
    if (typeof id !== "string" || this.#seen.has(id) || codecIdPattern.test(id)) return undefined;
    this.#seen.add(id);
    return record.id("id");
  }

  /** An id derived from the entry's value: a client that rewrites it may reorder its fields. */
  derived(record: SourceRecord): Extracted<string> {
    const fields = Object.fromEntries(record.keys().map((key) => [key, record.peek(key) ?? null]));
    return this.#derived.next(openRecord(record.at, ordered(fields, 0)));
  }
}

/** Ids that this codec makes itself; an entry with such an id could collide with one. */
const codecIdPattern = /^(?:artifact|blob):|#(?:header|said)$/;

/** The object with its fields sorted by name, as deep as the parts of a message are. */
function ordered(object: JsonObject, depth: number): JsonObject {
  const entries = Object.entries(object).sort(([left], [right]) => (left < right ? -1 : 1));
  const isImage = object["type"] === "image";
  return Object.fromEntries(
    entries.map(([key, value]) => [
      key,
      isImage && key === "data" ? digestOf(value) : orderedValue(value, depth + 1),
    ]),
  );
}

function orderedValue(value: JsonValue, depth: number): JsonValue {
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((element) => orderedValue(element, depth + 1));
  return isJsonObject(value) ? ordered(value, depth) : value;
}

const maxDepth = 8;

/** omp moves the bytes of an image to a file named by their hash. */
function digestOf(data: JsonValue): JsonValue {
  if (typeof data !== "string") return data;
  return hashOf(data) ?? hash("sha256", Buffer.from(data, "base64"));
}
