import { hash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "@pond/canonical";
import { objectOf, type SourceRecord } from "@pond/canonical/adapter";
import type { Loop } from "./loops.ts";

/**
 * A message's value as text, without its place in the loop tree. The library writes one message
 * with its keys in several orders, which count as one value.
 */
export function messageText(record: SourceRecord): string {
  const { turnId: _turn, nodeId: _node, parentId: _parent, ...rest } = fieldsIn(record);
  return stringifyJson(sorted(rest));
}

/** The fields of a record, only for decisions. */
export function fieldsIn(record: SourceRecord): JsonObject {
  return Object.fromEntries(record.keys().map((key) => [key, record.peek(key) ?? null]));
}

/**
 * Knows which messages of a session occurred before: branches and compacted contexts repeat them,
 * and a compaction shortens some of those it repeats.
 */
export class SeenMessages {
  /** Digests, because a session may have hundreds of thousands of messages. */
  readonly #values: Set<string> = new Set();
  /** By the digest of a place, the key of the loop that was the first to have a message there. */
  readonly #places: Map<string, string> = new Map();

  /**
   * Notes a message of a loop.
   *
   * @param text - The result of `messageText`.
   * @returns True if an earlier message is the same.
   */
  note(record: SourceRecord, text: string, loop: MessageLoop): boolean {
    const place = placeOf(record);
    const digest = digestOf(text);
    const isKnown = this.#values.has(digest) || this.#hasPlace(place, loop);
    this.#values.add(digest);
    if (place && !this.#places.has(place.digest)) this.#places.set(place.digest, loop.key);
    return isKnown && !loop.isRestored;
  }

  /**
   * True if another loop has that place already. Within one loop, several messages can share it.
   */
  #hasPlace(place: Place | undefined, { key, loopId }: MessageLoop): boolean {
    if (place === undefined || place.loopId === loopId) return false;
    const first = this.#places.get(place.digest);
    return first !== undefined && first !== key;
  }
}

/** The relevant fields of a message's loop. */
export type MessageLoop = Pick<Loop, "key" | "loopId" | "isRestored">;

type Place = { readonly loopId: string; readonly digest: string };

/** The step of the loop in which a message was first said; undefined if it names none. */
function placeOf(record: SourceRecord): Place | undefined {
  const { loopId, turnIndex } = objectOf(record.peek("turnId"));
  if (typeof loopId !== "string") return undefined;
  const marks = ["role", "timestamp", "toolCallId"].map((key) => record.peek(key) ?? null);
  return { loopId, digest: digestOf(stringifyJson([loopId, turnIndex ?? null, ...marks])) };
}

/** 16 bytes, as 22 characters. */
function digestOf(text: string): string {
  return hash("sha256", text, "buffer").toString("base64url", 0, 16);
}

/**
 * Brings the keys of a message, of its blocks and of its usage into one order; JSON nests deeper.
 */
function sorted(value: JsonValue, levels = 3): JsonValue {
  if (levels === 0) return value;
  if (Array.isArray(value)) return value.map((each: JsonValue) => sorted(each, levels - 1));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(
    ([key, each]) => [key, sorted(each, levels - 1)] as const,
  );
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}
