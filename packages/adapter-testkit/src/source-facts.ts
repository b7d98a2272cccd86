import { isJsonObject, type JsonValue, type Micros, tryParseJson } from "@pond/canonical";
import type { CompleteKit } from "./kit.ts";
import { leafKey } from "./leaves.ts";
import type { SourceFiles } from "./source-files.ts";
import { instantsIn, instantsOf } from "./source-times.ts";

/**
 * Everything that a source says: the values and keys of its records, those of JSON and of data URLs
 * inside their texts, whole files and their paths; as values, as pieces of text, as times.
 */
export class SourceFacts {
  readonly #values: Set<string> = new Set();
  readonly #texts: Set<string> = new Set();
  readonly #words: Set<string> = new Set();
  readonly #instants: Set<Micros> = new Set();
  #joined: string | undefined;

  constructor(files: SourceFiles, { records }: Pick<CompleteKit, "records">) {
    for (const [path, bytes] of files) {
      this.#addText(path);
      this.#values.add(leafKey(Buffer.from(bytes).toString("base64")));
    }
    for (const recorded of records(files).values()) this.#add(recorded);
  }

  /**
   * True for a value of the source, for a piece of one of its texts, and for a value that says
   * nothing.
   */
  holds(value: JsonValue): boolean {
    if (value === "" || value === null || typeof value === "boolean") return true;
    if (this.#values.has(leafKey(value))) return true;
    if (typeof value !== "string") return this.#texts.has(leafKey(value));
    this.#joined ??= [...this.#texts].join("\0\0");
    return this.#joined.includes(value);
  }

  holdsInstant(micros: Micros): boolean {
    return this.#instants.has(micros);
  }

  /** True for an id of the source, and for one made of its words, of digests and of positions. */
  explainsId(id: string): boolean {
    if (this.holds(id) || namedUuid.test(id)) return true;
    // A word before `:` or after `#` distinguishes the messages that one record became.
    const [whole = ""] = id.replace(/^[a-z]+:/, "").split("#");
    return wordsOf(whole).every((word) => derived.test(word) || this.#words.has(word));
  }

  #add(root: JsonValue): void {
    const open: JsonValue[] = [root];
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (Array.isArray(value)) open.push(...value);
      else if (isJsonObject(value)) {
        for (const [key, member] of Object.entries(value)) {
          // A map may have names as keys, and canonical may hold them as values.
          this.#addText(key);
          open.push(member);
        }
      } else {
        this.#values.add(leafKey(value));
        if (typeof value === "string") open.push(...this.#openText(value));
        else for (const micros of instantsOf(Number(leafKey(value)))) this.#instants.add(micros);
      }
    }
  }

  /** @returns The JSON in the text, if any. */
  #openText(text: string): readonly JsonValue[] {
    this.#addText(text);
    const [, mediaType, base64] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(text) ?? [];
    for (const piece of [mediaType, base64]) if (piece) this.#values.add(leafKey(piece));
    if (!/^\s*[[{"]/.test(text)) return [];
    const value = tryParseJson(text);
    return value === undefined ? [] : [value];
  }

  #addText(text: string): void {
    if (this.#texts.has(text)) return;
    this.#texts.add(text);
    for (const word of wordsOf(text)) this.#words.add(word);
    for (const micros of instantsIn(text)) this.#instants.add(micros);
  }
}

function wordsOf(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** A digest, or the position of a part in its message. */
const derived = /^(?:[0-9a-f]{16,64}|\d+)$/;
/** A UUID derived from names, as `derivedUuid` makes it. */
const namedUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
