import { isUtf8 } from "node:buffer";
import { closeSync, fstatSync, openSync } from "node:fs";
import type { FaultEvent, JsonObject, PendingEvent } from "@pond/canonical";
import { isJsonObject, type JsonValue, parseJson, TooManyValuesError } from "@pond/canonical";
import { fileFault, fileFingerprint, leftAloneMs } from "@pond/canonical/adapter";
import { findPieces, type ObjectPieces, type Piece, readPiece } from "./json-pieces.ts";
import { origin } from "./origin.ts";

/** A larger value is not kept (`adapter-bounded-values`). */
const maxBytes = 256 * 1024 * 1024;
/** The library truncates a file and then writes it: a broken one may be whole in a moment. */
const writingMs = 60 * 1000;

/** What keeps a file from being read as a session. */
export class UnreadableFile extends Error {
  /** True if it may be readable in a moment. */
  readonly isPending: boolean;

  constructor(reason: string, { isPending = false }: { readonly isPending?: boolean } = {}) {
    super(reason);
    this.isPending = isPending;
  }
}

/** A value that is too long, or holds too many others, to be kept. */
export class UnkeptValue extends UnreadableFile {}

/**
 * A session file, of which one loop at a time is in memory: where a program records what a model
 * streams, each of a message's thousand events holds all of the message so far.
 */
export class SessionFile {
  /** All that the session says about itself, without its loops. */
  readonly head: JsonObject;
  readonly headBytes: number;
  readonly #handle: number;
  readonly #mark: string;
  readonly #mtimeMs: number;
  readonly #now: number;
  readonly #loops: readonly Piece[];

  /**
   * @param now - The current time, in ms.
   * @throws {UnreadableFile} @throws the error of the operating system.
   */
  constructor(file: string, now: number) {
    this.#now = now;
    this.#handle = openSync(file, "r");
    try {
      this.#mtimeMs = fstatSync(this.#handle).mtimeMs;
      this.#mark = this.#markNow();
      const pieces = this.#parsing(() => findPieces(this.#handle, "loops"));
      const [text, loops] = this.#headOf(pieces);
      const head = this.#parsing(() => parseJson(text));
      if (!isJsonObject(head) || !hasNames(head) || loops === undefined) {
        throw new UnreadableFile(noSessionReason);
      }
      [this.head, this.headBytes, this.#loops] = [head, Buffer.byteLength(text), loops];
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** How many loops it has. */
  get length(): number {
    return this.#loops.length;
  }

  /** The bytes of a loop as JSON. */
  bytesOf(index: number): number {
    const { start, end } = this.#pieceAt(index);
    return end - start;
  }

  /**
   * @throws {UnkeptValue} which costs nothing but this loop. @throws {UnreadableFile}
   * @throws the error of the operating system.
   */
  loopAt(index: number): JsonObject {
    const loop = this.#parsing(() => parseJson(this.#textOf(this.#pieceAt(index))));
    this.#assertUnchanged();
    if (!isJsonObject(loop)) throw new UnreadableFile(noSessionReason);
    return loop;
  }

  close(): void {
    closeSync(this.#handle);
  }

  #pieceAt(index: number): Piece {
    return this.#loops[index] ?? { start: 0, end: 0 };
  }

  /** The text of the session without its loops, and where those are. */
  #headOf(pieces: ObjectPieces | undefined): readonly [string, readonly Piece[] | undefined] {
    if (pieces === undefined) {
      return [this.#textOf({ start: 0, end: fstatSync(this.#handle).size }), undefined];
    }
    const bytes = pieces.members.reduce((sum, { start, end }) => sum + end - start, 0);
    if (bytes > maxBytes) throw tooLong(bytes);
    const members = pieces.members.map((piece) => this.#textOf(piece));
    return [`{${members.join()}}`, pieces.elements];
  }

  #textOf(piece: Piece): string {
    if (piece.end - piece.start > maxBytes) throw tooLong(piece.end - piece.start);
    const bytes = readPiece(this.#handle, piece);
    if (!isUtf8(bytes)) throw new UnreadableFile("not UTF-8");
    return bytes.toString("utf8").replace(/^\uFEFF/, "");
  }

  #parsing<Result>(parse: () => Result): Result {
    try {
      return parse();
    } catch (error) {
      if (error instanceof TooManyValuesError) throw new UnkeptValue(error.message);
      if (!(error instanceof SyntaxError)) throw error;
      this.#assertUnchanged();
      const isPending = this.#now - this.#mtimeMs < writingMs;
      const reason = isPending
        ? "the file is not whole yet"
        : `not JSON: ${withoutText(error.message)}`;
      throw new UnreadableFile(reason, { isPending });
    }
  }

  /** Another program may have written to the file since its pieces were found. */
  #assertUnchanged(): void {
    if (this.#markNow() === this.#mark) return;
    throw new UnreadableFile("the file changes while it is read", { isPending: true });
  }

  #markNow(): string {
    return fileFingerprint(fstatSync(this.#handle, { bigint: true }), this.#now);
  }
}

/** The event that says why a file is not read. */
export function unreadable(
  file: string,
  { message, isPending }: UnreadableFile,
): FaultEvent | PendingEvent {
  return isPending
    ? { kind: "pending", location: file, reason: message }
    : fileFault(origin, file, message);
}

function tooLong(bytes: number): UnkeptValue {
  return new UnkeptValue(`a value of ${bytes} bytes is too long to be kept`);
}

/** The parser's message without the piece of the file in it, which can be an API key. */
function withoutText(message: string): string {
  return message.replace(/, (?:\.\.\.)?".*is not valid JSON$/s, "");
}

const noSessionReason =
  "no phi-core session: `session_id` and `agent_id` are text, `loops` is a list of objects";

function hasNames({ session_id, agent_id }: Readonly<Record<string, JsonValue>>): boolean {
  return [session_id, agent_id].every((name) => typeof name === "string" && name !== "");
}

/** Age classes of a file: what is pending in it is looked at again once it was left alone. */
export function idleMark(mtimeMs: number, now: number): string {
  const age = now - mtimeMs;
  return age < writingMs ? "" : age < leftAloneMs ? ".1" : ".2";
}
