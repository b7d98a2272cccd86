import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultEvent, FileContent, JsonValue } from "@pond/canonical";
import { isJsonObject, SourceFault } from "@pond/canonical";
import {
  type Extracted,
  fileBytes,
  isGone,
  isSystemError,
  reasonOf,
  type SourceRecord,
} from "@pond/canonical/adapter";

/** A reference that was resolved, and what it stands for. */
type Taken = {
  readonly content: Extracted<FileContent>;
  /** The reference, for the restore; undefined where the content still is the reference. */
  readonly ref: string | undefined;
};

/**
 * The files that hold what a log refers to as `blob:sha256:<hash>`. Read where a reference is met,
 * so that a session holds all that belongs to it.
 */
export class Blobs {
  readonly #folder: string | undefined;
  /** Hashes the log refers to; true where a part holds the bytes. */
  readonly #seen: Map<string, boolean> = new Map();
  readonly #faults: Map<string, FaultEvent> = new Map();
  readonly #reported: Set<string> = new Set();

  /** @param folder - Undefined for a client without such files. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** What the reference at `key` stands for; undefined where that is none. */
  take(block: SourceRecord, key: string): Taken | undefined {
    const ref = block.peek(key);
    const hash = typeof ref === "string" ? this.#hashOf(ref) : undefined;
    if (hash === undefined || typeof ref !== "string") return undefined;
    const bytes = this.read(hash, block);
    const content = block.url(key);
    if (bytes === undefined) return content && { content, ref: undefined };
    this.#seen.set(hash, true);
    return { content: fileBytes(bytes), ref };
  }

  /** The bytes behind a reference as base64 text; undefined where they are not there. */
  base64(ref: string, at: SourceRecord): string | undefined {
    const hash = this.#hashOf(ref);
    const bytes = hash === undefined ? undefined : this.read(hash, at);
    if (hash === undefined || bytes === undefined) return undefined;
    this.#seen.set(hash, true);
    return bytes.toString("base64");
  }

  /** Remembers every reference in the record, wherever it stands. */
  note(record: SourceRecord): void {
    if (this.#folder === undefined) return;
    const open: JsonValue[] = record.keys().map((key) => record.peek(key) ?? null);
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (typeof value === "string") {
        const hash = this.#hashOf(value);
        if (hash !== undefined && !this.#seen.has(hash)) this.#seen.set(hash, false);
      } else if (Array.isArray(value)) {
        for (const element of value) open.push(element);
      } else if (isJsonObject(value)) {
        for (const key of Object.keys(value)) open.push(value[key] ?? null);
      }
    }
  }

  /** The bytes of a file; where they cannot be had, that becomes a fault of the record. */
  read(hash: string, { at }: Pick<SourceRecord, "at">): Buffer | undefined {
    if (this.#folder === undefined) return undefined;
    const file = join(this.#folder, hash);
    try {
      const stats = lstatSync(file);
      if (!stats.isFile()) throw new SourceFault(at, `blob ${hash} is not a file`);
      if (stats.size > maxBlobBytes) {
        throw new SourceFault(at, `blob ${hash} has ${stats.size} bytes, too many to be kept`);
      }
      return readFileSync(file);
    } catch (error) {
      if (this.#faults.has(hash)) return undefined;
      this.#faults.set(hash, { kind: "fault", fault: faultOf(error, hash, at), records: 0 });
      return undefined;
    }
  }

  /** What went wrong since this was asked last; each file once. */
  *faults(): Generator<FaultEvent> {
    for (const [hash, fault] of this.#faults) {
      if (this.#reported.has(hash)) continue;
      this.#reported.add(hash);
      yield fault;
    }
  }

  /** Hashes the log refers to in places that hold no bytes. */
  unheld(): string[] {
    return [...this.#seen].flatMap(([hash, isHeld]) => (isHeld ? [] : [hash])).sort();
  }

  #hashOf(text: string): string | undefined {
    if (this.#folder === undefined || !text.startsWith(prefix)) return undefined;
    return hashOf(text);
  }
}

/** The hash in a reference; undefined where that is none, such as a path out of the folder. */
export function hashOf(ref: JsonValue | undefined): string | undefined {
  return typeof ref === "string" ? reference.exec(ref)?.[1] : undefined;
}

const prefix = "blob:sha256:";
const reference = /^blob:sha256:([0-9a-f]{64})$/;

/** As long as the longest line that is kept; a file is held whole. */
const maxBlobBytes = 256 * 1024 * 1024;

function faultOf(error: unknown, hash: string, at: SourceRecord["at"]): SourceFault {
  if (error instanceof SourceFault) return error;
  if (!isSystemError(error)) throw error;
  const reason = isGone(error) ? "is gone" : reasonOf(error);
  return new SourceFault(at, `blob ${hash} ${reason}; the reference is kept`, { cause: error });
}
