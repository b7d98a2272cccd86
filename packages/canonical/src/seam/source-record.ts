import { hash } from "node:crypto";
import { SourceFault, type SourceLocation } from "../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../json.ts";
import type { FileContent } from "../part.ts";
import { setField } from "../set-field.ts";
import { fromMillis, fromRfc3339, fromSeconds, isPlainTime, type Micros } from "../timestamp.ts";
import { boundObject, boundText, boundValue, isSurelySmall, truncated } from "./bounded.ts";
import { type Extracted, seal, unseal } from "./extracted.ts";

/**
 * One record of source data behind accessors (`adapter-transport-agnostic-seam`). Reading a field
 * takes it, and `rest()` returns every field that was not taken, so a forgotten field is preserved.
 */
export class SourceRecord {
  /** Where the record stands, for faults. */
  readonly at: SourceLocation;
  readonly #fields: JsonObject;
  /** True if the record's text was so short that nothing in it needs measuring. */
  readonly #isSmall: boolean;
  /**
   * A list, because there are few keys: searching it is cheaper than making a set for every record.
   */
  readonly #taken: string[] = [];
  #children: Map<string, SourceRecord> | undefined;

  constructor(at: SourceLocation, fields: JsonObject, isSmall: boolean) {
    this.at = at;
    this.#fields = fields;
    this.#isSmall = isSmall;
  }

  /**
   * The value at `key` without taking it. Only for decisions: it cannot reach a canonical field.
   */
  peek(key: string): JsonValue | undefined {
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined;
  }

  /** The names of the record's fields, in source order. Only for decisions. */
  keys(): readonly string[] {
    return Object.keys(this.#fields);
  }

  /** The string at `key`, or undefined if the record has none. */
  string(key: string): Extracted<string> | undefined {
    const value = this.peek(key);
    if (typeof value !== "string") return undefined;
    this.#taken.push(key);
    return seal(this.#isSmall ? value : boundText(value));
  }

  /** The string at `key`. @throws {SourceFault} if the record has none. */
  requireString(key: string): Extracted<string> {
    return this.string(key) ?? this.#missing("string", key);
  }

  /**
   * The string at `key` if it can be an id: not empty and without lone surrogates, which storage
   * would change. Any other value is left for `rest()`.
   */
  id(key: string): Extracted<string> | undefined {
    const value = this.peek(key);
    return typeof value === "string" && value !== "" && value.isWellFormed()
      ? this.string(key)
      : undefined;
  }

  /** The boolean at `key`, or undefined if the record has none. */
  boolean(key: string): Extracted<boolean> | undefined {
    const value = this.peek(key);
    if (typeof value !== "boolean") return undefined;
    this.#taken.push(key);
    return seal(value);
  }

  /**
   * The opposite of the flag at `key`, for a source that records success where pond records
   * failure.
   */
  negated(key: string): Extracted<boolean> | undefined {
    const value = this.peek(key);
    if (typeof value !== "boolean") return undefined;
    this.#taken.push(key);
    return seal(!value);
  }

  /** Any JSON value at `key`. */
  json(key: string): Extracted<JsonValue> | undefined {
    const value = this.peek(key);
    if (value === undefined) return undefined;
    this.#taken.push(key);
    return seal(this.#isSmall ? value : boundValue(value));
  }

  /** Any JSON value at `key`. @throws {SourceFault} if the record has none. */
  requireJson(key: string): Extracted<JsonValue> {
    return this.json(key) ?? this.#missing("value", key);
  }

  /**
   * The RFC 3339 time at `key`. The field is taken only if pond would write the same text for that
   * time; any other form also stays in `rest()`, so that it is restored as it was.
   */
  timestamp(key: string): Extracted<Micros> | undefined {
    const value = this.peek(key);
    if (typeof value !== "string") return undefined;
    const micros = fromRfc3339(value);
    if (micros === undefined) return undefined;
    if (isPlainTime(value, micros)) this.#taken.push(key);
    return seal(micros);
  }

  /** The RFC 3339 time at `key`. @throws {SourceFault} if the record has none. */
  requireTimestamp(key: string): Extracted<Micros> {
    return this.timestamp(key) ?? this.#missing("time", key);
  }

  /**
   * The time at `key`, in milliseconds since the epoch. The field is taken only if it is a plain
   * whole number that the time gives back; any other form also stays in `rest()`.
   */
  milliseconds(key: string): Extracted<Micros> | undefined {
    const value = this.peek(key);
    const micros = typeof value === "number" ? fromMillis(value) : undefined;
    if (micros === undefined) return undefined;
    if (Number.isInteger(value)) this.#taken.push(key);
    return seal(micros);
  }

  /**
   * The time at `key`, in seconds since the epoch, to the microsecond. The field is taken only if
   * it is a plain whole number that the time gives back; any other form also stays in `rest()`.
   */
  seconds(key: string): Extracted<Micros> | undefined {
    const value = this.peek(key);
    const micros = typeof value === "number" ? fromSeconds(value) : undefined;
    if (micros === undefined) return undefined;
    if (Number.isInteger(value)) this.#taken.push(key);
    return seal(micros);
  }

  /** The base64 text at `key`: its bytes if encoding them gives the same text, else the text. */
  base64(key: string): Extracted<FileContent> | undefined {
    const value = this.peek(key);
    if (typeof value !== "string") return undefined;
    this.#taken.push(key);
    const bytes = Buffer.from(value, "base64");
    return bytes.toString("base64") === value
      ? seal({ type: "bytes", bytes })
      : seal({ type: "base64", text: boundText(value) });
  }

  /** The bytes at `key`, for a source that holds raw bytes, such as a file. */
  bytes(key: string): Extracted<FileContent> | undefined {
    const value: unknown = this.peek(key);
    if (!(value instanceof Uint8Array)) return undefined;
    this.#taken.push(key);
    return seal({ type: "bytes", bytes: value });
  }

  /** The address at `key`, as the content of a file part. */
  url(key: string): Extracted<FileContent> | undefined {
    const value = this.string(key);
    return value && seal({ type: "url", url: unseal(value) });
  }

  /**
   * The address at `key`. A data URL becomes its bytes if encoding them under the media type at
   * `typeKey` gives the same text.
   */
  dataUrl(key: string, typeKey: string): Extracted<FileContent> | undefined {
    const value = this.peek(key);
    const type = this.peek(typeKey);
    // Not every value can be turned into text: an object may bring a `toString` of its own.
    if (typeof type !== "string" || typeof value !== "string") return this.url(key);
    const prefix = `data:${type};base64,`;
    if (!value.startsWith(prefix)) return this.url(key);
    const bytes = Buffer.from(value.slice(prefix.length), "base64");
    if (bytes.toString("base64") !== value.slice(prefix.length)) return this.url(key);
    this.#taken.push(key);
    return seal({ type: "bytes", bytes });
  }

  /** Whether the field at `key` equals this text. If it does, the field is taken. */
  is(key: string, text: string): Extracted<boolean> {
    const isEqual = this.peek(key) === text;
    if (isEqual) this.#taken.push(key);
    return seal(isEqual);
  }

  /** The fields at `keys` that the record has, as one object. */
  fields(...keys: readonly string[]): Extracted<JsonObject> {
    const found: { [key: string]: JsonValue } = {};
    for (const key of keys) {
      const value = this.peek(key);
      if (value === undefined) continue;
      this.#taken.push(key);
      setField(found, key, value);
    }
    return seal(this.#boundObject(found));
  }

  /**
   * The object at `key` as a record of its own. Fields that it leaves come back in this record's
   * `rest()`.
   */
  record(key: string): SourceRecord | undefined {
    const known = this.#children?.get(key);
    if (known) return known;
    const value = this.peek(key);
    if (!isJsonObject(value)) return undefined;
    const child = new SourceRecord(this.at, value, this.#isSmall);
    this.#children ??= new Map();
    this.#children.set(key, child);
    return child;
  }

  /**
   * The elements of the array at `key`, each a record of its own; undefined if it is not an array
   * of objects. The array is taken, so the caller has to place every element, and to remember that
   * the array was there if it is empty.
   */
  records(key: string): readonly SourceRecord[] | undefined {
    const value = this.peek(key);
    if (!Array.isArray(value) || !value.every(isJsonObject)) return undefined;
    this.#taken.push(key);
    return value.map((element) => new SourceRecord(this.at, element, this.#isSmall));
  }

  /**
   * Every field that no call has taken, for `options.source.rest` (`model-lossless-projection`).
   */
  rest(): Extracted<JsonObject> {
    const left: { [key: string]: JsonValue } = {};
    for (const key of Object.keys(this.#fields)) {
      const child = this.#children?.get(key);
      if (child) setField(left, key, unseal(child.rest()));
      else if (!this.#taken.includes(key)) setField(left, key, this.#fields[key] ?? null);
    }
    return seal(this.#boundObject(left));
  }

  /** The record with every field, for a carrier (spec 6.5, rule 3). */
  whole(): Extracted<JsonObject> {
    return seal(this.#boundObject(this.#fields));
  }

  /** Hash of the whole record's value, including the fields taken. */
  digest(): string {
    return digestOf(this.#fields);
  }

  #boundObject(object: JsonObject): JsonObject {
    return this.#isSmall ? object : boundObject(object);
  }

  #missing(kind: string, key: string): never {
    throw new SourceFault(this.at, `no ${kind} at "${key}"`);
  }
}

/** Hash of a record's value, with its keys in their order. */
export function digestOf(fields: JsonObject): string {
  // A part of the hexadecimal digits would keep all of them in memory.
  return hash("sha256", stringifyJson(fields), "buffer").toString("hex", 0, 16);
}

/** What is known about a record besides its value. */
export type RecordOptions = {
  /** Bytes of the text that the value was parsed from, if known. Spares measuring small records. */
  readonly encodedBytes?: number;
};

/**
 * Opens one parsed value as a record.
 *
 * @param value - What `parseJson` returns, or an object of such values: a `bigint` of a database is
 * `parseJson(String(it))`. A field of bytes is for `bytes()` alone.
 * @throws {SourceFault} if it is not a JSON object.
 */
export function openRecord(
  at: SourceLocation,
  value: JsonValue | { readonly [key: string]: JsonValue | Uint8Array | undefined } | undefined,
  { encodedBytes = Number.POSITIVE_INFINITY }: RecordOptions = {},
): SourceRecord {
  if (!isJsonObject(value)) throw new SourceFault(at, "not a JSON object");
  return new SourceRecord(at, value, isSurelySmall(encodedBytes));
}

/**
 * Stands for a record too large to be built (`adapter-bounded-values`). Its one field is the
 * sentinel that names the size. For a carrier.
 */
export function truncatedRecord(at: SourceLocation, byteLength: number): SourceRecord {
  return new SourceRecord(at, truncated(byteLength), true);
}
