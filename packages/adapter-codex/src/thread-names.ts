import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { type FaultEvent, parseJson, SourceFault, stringifyJson } from "@pond/canonical";
import {
  fileChunks,
  fileFingerprint,
  isGone,
  isLeftAlone,
  NumbersByKey,
  openRecord,
  PackedList,
  type RecordOutcome,
  readRecords,
  reasonOf,
  type SharedLines,
  type SourceRecord,
} from "@pond/canonical/adapter";
import { fault, isReadError } from "./faults.ts";
import { origin } from "./origin.ts";

/**
 * The names of a home's threads: a line each time a thread is named; the last line of each counts.
 */
export const nameFile = "session_index.jsonl";

export const nameLines: SharedLines = { key: "id", time: "updated_at" };

/** The names of the threads of one home, read again when the file has changed. */
export class ThreadNames {
  readonly #file: string | undefined;
  #mark: string | undefined;
  #index: Index = emptyIndex;

  /** @param file - Undefined if what is read is neither a home nor a folder of one. */
  constructor(file: string | undefined) {
    this.#file = file;
  }

  /** Lines that name no thread, or why the file is not read. */
  get faults(): readonly FaultEvent[] {
    return this.#index.faults;
  }

  /** The lines of a thread, in their order. */
  of(thread: string | undefined): readonly SourceRecord[] {
    return thread === undefined ? [] : this.#index.lines.of(thread);
  }

  /** A text that changes whenever the thread is named again; undefined if it never was. */
  digest(thread: string | undefined): string | undefined {
    const lines = this.of(thread);
    if (lines.length === 0) return undefined;
    const hash = createHash("sha256");
    for (const line of lines) hash.update(`${line.digest()}\n`);
    return hash.digest("hex").slice(0, 32);
  }

  /** Reads the file, unless it is unchanged. */
  async refresh(): Promise<void> {
    if (this.#file === undefined) return;
    try {
      const stats = lstatSync(this.#file, { bigint: true, throwIfNoEntry: false });
      const mark = stats && fileFingerprint(stats);
      if (mark !== undefined && mark === this.#mark) return;
      // A link could lead anywhere, and opening a pipe would wait for a writer that never comes.
      if (stats?.isFile()) this.#index = await readIndex(this.#file);
      else this.#index = stats ? indexOfFault(notFollowed(this.#file)) : emptyIndex;
      this.#mark = mark;
    } catch (error) {
      if (!isReadError(error)) throw error;
      this.#mark = undefined;
      this.#index = isGone(error)
        ? emptyIndex
        : indexOfFault(fault(this.#file, reasonOf(error), error));
    }
  }
}

type Index = {
  readonly lines: Lines;
  readonly faults: readonly FaultEvent[];
};

/** A line that names a thread: which one it is, where it begins, and its record as JSON. */
type Kept = readonly [record: number | string, byteOffset: number | null | undefined, json: string];

/** The lines that name threads, of which there may be hundreds of thousands. */
class Lines {
  readonly #uri: string;
  readonly #kept = new PackedList<Kept>();
  readonly #numbers = new NumbersByKey();

  constructor(uri = "") {
    this.#uri = uri;
  }

  add(thread: string, line: SourceRecord): void {
    const { record, byteOffset } = line.at;
    const fields = Object.fromEntries(line.keys().map((key) => [key, line.peek(key) ?? null]));
    this.#numbers.add(thread, this.#kept.push([record, byteOffset, stringifyJson(fields)]));
  }

  /** The lines of a thread, in their order. */
  of(thread: string): SourceRecord[] {
    const numbers = [...this.#numbers.of(thread)].sort((left, right) => left - right);
    return numbers.flatMap((number) => {
      const [record, byteOffset, json] = this.#kept.at(number);
      const place = { adapter: origin, uri: this.#uri, record };
      // JSON has null for what is undefined.
      const at = typeof byteOffset === "number" ? { ...place, byteOffset } : place;
      const line = openRecord(at, parseJson(json));
      return line.peek(nameLines.key) === thread ? line : [];
    });
  }
}

const emptyIndex: Index = { lines: new Lines(), faults: [] };

function indexOfFault(event: FaultEvent): Index {
  return { lines: new Lines(), faults: [event] };
}

/** What the user put there stays like this, so reporting it once is enough. */
function notFollowed(file: string): FaultEvent {
  return { ...fault(file, "a symbolic link or no file, not followed"), isLeftover: true };
}

// All lines are held at once; a name takes some hundred bytes.
const maxLineBytes = 1 << 20;

/** Leaves a last line that is not complete yet for the next time. */
async function readIndex(file: string): Promise<Index> {
  const lines = new Lines(file);
  const faults: FaultEvent[] = [];
  const source = { adapter: origin, uri: file };
  const options = { maxLineBytes, isLeftAlone: () => isLeftAlone(file) };
  for await (const outcomes of readRecords(fileChunks(file), source, options)) {
    for (const outcome of outcomes) {
      const line = lineOf(outcome);
      // Nobody can mend a line in the client's file, so reporting it once is enough.
      if (line?.kind === "fault") faults.push({ ...line, isLeftover: true });
      else if (line) lines.add(line.thread, line.record);
    }
  }
  return { lines, faults };
}

type Line = { readonly kind: "line"; readonly thread: string; readonly record: SourceRecord };

function lineOf(outcome: RecordOutcome): Line | FaultEvent | undefined {
  if (outcome.kind === "fault") return outcome;
  if (outcome.kind === "pending" || outcome.isTruncated) return undefined;
  const { record } = outcome;
  const thread = record.peek(nameLines.key);
  if (typeof thread === "string") return { kind: "line", thread, record };
  return { kind: "fault", fault: new SourceFault(record.at, "a line that names no thread") };
}
