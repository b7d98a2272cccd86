import type { Micros } from "@pond/canonical";
import { bagOf } from "../rows/option-bag.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import { windowText } from "./window-text.ts";

/** A run of conversational messages of one session, searched as one text. */
export type Window = {
  /** Id of its first message. */
  readonly id: string;
  readonly timestamp: Micros;
  /** Null in a window that is no more. */
  readonly text: string | null;
  readonly messageIds: readonly string[];
};

const windowChars = 2_000;

/**
 * Cuts a session into windows of about 2,000 characters as its messages come. A boundary depends
 * only on what precedes it, so that a session that grows changes no window but its last.
 */
export class WindowBuilder {
  readonly #windows: Window[] = [];
  #texts: string[] = [];
  #ids: string[] = [];
  #timestamp: Micros = 0n;
  #chars = 0;

  /** @returns True where that completes a window. */
  add(id: string, timestamp: Micros, text: string): boolean {
    if (this.#ids.length === 0) this.#timestamp = timestamp;
    this.#ids.push(id);
    this.#texts.push(windowText(text));
    this.#chars += text.length;
    return this.#chars >= windowChars && this.close();
  }

  /**
   * Ends the window: at a compaction, or at the end of the session.
   *
   * @returns False where none was open.
   */
  close(): boolean {
    const [id] = this.#ids;
    if (id === undefined) return false;
    const [timestamp, text, messageIds] = [this.#timestamp, this.#texts.join("\n"), this.#ids];
    this.#windows.push({ id, timestamp, text, messageIds });
    this.#texts = [];
    this.#ids = [];
    this.#chars = 0;
    return true;
  }

  /** The windows so far; those taken are forgotten. */
  take(): Window[] {
    return this.#windows.splice(0);
  }
}

/** What of a message matters to windows. */
export type WindowPiece = {
  readonly id: string;
  readonly timestamp: Micros;
  readonly text: string | null;
  readonly isBoundary: boolean;
};

export function windowPiece({ header, searchText }: PreparedMessage): WindowPiece {
  const { id, timestamp, options } = header;
  // Adapters mark the record at which a client compacted its context.
  const isBoundary = bagOf(options, "source")["boundary"] === "compaction";
  return { id, timestamp, text: searchText, isBoundary };
}

/** @returns True where the message completes a window. */
export function addToWindows(windows: WindowBuilder, message: PreparedMessage): boolean {
  return addPiece(windows, windowPiece(message));
}

/** @returns True where the piece completes a window. */
export function addPiece(windows: WindowBuilder, piece: WindowPiece): boolean {
  const isClosed = piece.isBoundary && windows.close();
  const { id, timestamp, text } = piece;
  return (text !== null && windows.add(id, timestamp, text)) || isClosed;
}
