import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FaultEvent, FileContent, JsonValue, Message, Part } from "@pond/canonical";
import { isJsonObject, partsOf, SourceFault } from "@pond/canonical";
import {
  type Extracted,
  fileBytes,
  isGone,
  isSystemError,
  objectAt,
  reasonOf,
  type SourceRecord,
  sourceOf,
} from "@pond/canonical/adapter";

/** A resolved reference, and what it stands for. */
type ResolvedBlob = {
  readonly content: Extracted<FileContent>;
  /** The reference, for the restore; undefined if the content still is the reference. */
  readonly ref: string | undefined;
};

/**
 * The files that hold what a log refers to as `blob:sha256:<hash>`. Read where a reference occurs,
 * so that a session holds everything that belongs to it.
 */
export class Blobs {
  readonly #folders: readonly string[];
  /** Hashes that the log refers to, with the first record that does. */
  readonly #seen: Map<string, SourceRecord["at"]> = new Map();
  /** Hashes whose bytes a part holds. */
  readonly #attached: Set<string> = new Set();
  readonly #faults: Map<string, FaultEvent> = new Map();
  readonly #reported: Set<string> = new Set();
  #failed: Set<string> = new Set();

  /**
   * @param folders - Where they may be, the nearest first; none for a client without such files.
   */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** What the reference at `key` stands for; undefined if there is no reference. */
  resolve(block: SourceRecord, key: string): ResolvedBlob | undefined {
    const ref = block.peek(key);
    const hash = hashOf(ref);
    if (hash === undefined || typeof ref !== "string") return undefined;
    const bytes = this.read(hash, block);
    if (this.#folders.length === 0) return undefined;
    const content = block.url(key);
    if (bytes === undefined) return content && { content, ref: undefined };
    this.#attached.add(hash);
    return { content: fileBytes(bytes), ref };
  }

  /** The bytes of a reference as base64 text; undefined if they are missing. */
  base64(ref: string, at: SourceRecord): string | undefined {
    const hash = hashOf(ref);
    const bytes = hash === undefined ? undefined : this.read(hash, at);
    if (hash === undefined || bytes === undefined) return undefined;
    this.#attached.add(hash);
    return bytes.toString("base64");
  }

  /** Remembers every reference in the record, anywhere in it. */
  note(record: SourceRecord): void {
    if (this.#folders.length === 0) return;
    const open: JsonValue[] = record.keys().map((key) => record.peek(key) ?? null);
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      if (typeof value === "string") {
        const hash = value.startsWith(prefix) ? hashOf(value) : undefined;
        if (hash !== undefined && !this.#seen.has(hash)) this.#seen.set(hash, record.at);
      } else if (Array.isArray(value)) {
        for (const element of value) open.push(element);
      } else if (isJsonObject(value)) {
        for (const key of Object.keys(value)) open.push(value[key] ?? null);
      }
    }
  }

  /** The bytes of a file; if they cannot be had, that becomes a fault of the record. */
  read(hash: string, { at }: Pick<SourceRecord, "at">): Buffer | undefined {
    try {
      const file = this.#fileOf(hash, at);
      const stats = lstatSync(file);
      if (!stats.isFile()) throw new SourceFault(at, `blob ${hash} is not a file`);
      if (stats.size > maxBlobBytes) {
        throw new SourceFault(at, `blob ${hash} has ${stats.size} bytes, too many to be kept`);
      }
      return readFileSync(file);
    } catch (error) {
      this.#failed.add(hash);
      if (this.#faults.has(hash)) return undefined;
      const fault = faultOf(error, hash, at);
      this.#faults.set(hash, { kind: "fault", fault, records: 0, isLogWhole: true });
      return undefined;
    }
  }

  /** Hashes of the files that could not be read since this was last asked. */
  failed(): ReadonlySet<string> {
    const failed = this.#failed;
    if (failed.size > 0) this.#failed = new Set();
    return failed;
  }

  /** The faults since this was last asked; each file once. */
  *faults(): Generator<FaultEvent> {
    for (const [hash, fault] of this.#faults) {
      if (this.#reported.has(hash)) continue;
      this.#reported.add(hash);
      yield fault;
    }
  }

  /** Hashes that the log refers to only in places that hold no bytes, with the first such record. */
  unattached(): [hash: string, at: SourceRecord["at"]][] {
    return [...this.#seen]
      .filter(([hash]) => !this.#attached.has(hash))
      .sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** The first one that exists; the first of all if none does, to report it. */
  #fileOf(hash: string, at: SourceRecord["at"]): string {
    const files = this.#folders.map((folder) => join(folder, hash));
    const file = files.find((file) => lstatSync(file, { throwIfNoEntry: false })) ?? files[0];
    if (file !== undefined) return file;
    throw new SourceFault(at, `blob ${hash} is a file of omp's; the reference is kept`);
  }
}

/** The hash in a reference; undefined if it is not one, such as a path out of the folder. */
export function hashOf(ref: JsonValue | undefined): string | undefined {
  return typeof ref === "string" ? reference.exec(ref)?.[1] : undefined;
}

/** Hashes of the files that a part holds, from its options. */
export function blobHashesOf(part: Pick<Part, "options">): string[] {
  const source = sourceOf(part);
  const refs = [source["blob"], ...Object.values(objectAt(source, "blobs"))];
  return refs.flatMap((ref) => hashOf(ref) ?? []);
}

/** The files that a message holds, by their hash. */
export function* blobsIn(
  message: Message,
): Generator<{ readonly hash: string; readonly bytes: Uint8Array }> {
  for (const part of partsOf(message)) {
    const source = sourceOf(part);
    const hash = hashOf(source["blob"]);
    if (part.type === "file" && part.data.type === "bytes" && hash !== undefined) {
      yield { hash, bytes: part.data.bytes };
    }
    if (part.type !== "tool_result") continue;
    for (const [position, ref] of Object.entries(objectAt(source, "blobs"))) {
      const data = dataAt(part.result, Number(position));
      const hash = hashOf(ref);
      if (data && hash) yield { hash, bytes: Buffer.from(data, "base64") };
    }
  }
}

function dataAt(result: JsonValue, position: number): string | undefined {
  const block: JsonValue | undefined = Array.isArray(result) ? result[position] : undefined;
  const data = isJsonObject(block) ? block["data"] : undefined;
  return typeof data === "string" ? data : undefined;
}

const prefix = "blob:sha256:";
const reference = /^blob:sha256:([0-9a-f]{64})$/;

/** The same as the longest line that is kept; a file is held whole. */
const maxBlobBytes = 256 * 1024 * 1024;

function faultOf(error: unknown, hash: string, at: SourceRecord["at"]): SourceFault {
  if (error instanceof SourceFault) return error;
  if (!isSystemError(error)) throw error;
  const reason = isGone(error) ? "is gone" : reasonOf(error);
  return new SourceFault(at, `blob ${hash} ${reason}; the reference is kept`, { cause: error });
}
