import { hash } from "node:crypto";
import { type Message, type Micros, partsOf } from "@pond/canonical";
import { titleOf } from "@pond/canonical/foreign";
import { bagOf } from "../rows/option-bag.ts";
import type { PreparedMessage } from "../rows/prepare.ts";
import { searchText } from "./search-text.ts";
import { textChunks } from "./text-chunks.ts";
import { windowText } from "./window-text.ts";

/**
 * A run of conversational messages of one session, a chunk of a long message, or a title,
 * searched as one text.
 */
export type Window = {
  /**
   * Id of its first message; for a title and for a further chunk, an id that is the same whenever
   * it is said.
   */
  readonly id: string;
  readonly timestamp: Micros;
  /** Null in a window that no longer exists. */
  readonly text: string | null;
  /** Empty in the window of a title. */
  readonly messageIds: readonly string[];
};

/** The time of every title's window, because a session has its title at all times. */
export const titleTime: Micros = 0n;

const windowChars = 2_000;
// To cut a text into words takes the engine about twenty times its length, and more for a text of
// many short words.
const maxChunkChars = 64 * 1024;
const titleChars = 500;
const continuationPrefix = "pond-window:";

/**
 * Cuts a session into windows of about 2,000 characters as its messages come. Of a message longer
 * than 65,536 characters, each further chunk is a window of its own. A boundary depends only on
 * what precedes it, so a session that grows changes no window except its last.
 */
export class WindowBuilder {
  readonly #windows: Window[] = [];
  readonly #titles: Set<string> = new Set();
  #texts: string[] = [];
  #ids: string[] = [];
  #timestamp: Micros = 0n;
  #chars = 0;

  /** @returns True if that completes a window. */
  add(id: string, timestamp: Micros, text: string): boolean {
    if (this.#ids.length === 0) this.#timestamp = timestamp;
    const [first = "", ...others] = textChunks(text, maxChunkChars);
    this.#ids.push(id);
    this.#texts.push(windowText(first));
    this.#chars += text.length;
    const isComplete = this.#chars >= windowChars && this.close();
    for (const [at, other] of others.entries()) {
      this.#windows.push({
        id: `${continuationPrefix}${at + 1}:${id}`,
        timestamp,
        messageIds: [id],
        // Made when it is written: until then it takes no memory of its own.
        get text() {
          return windowText(other);
        },
      });
    }
    return isComplete;
  }

  /** Adds a window for a title, once, because a client repeats it whenever the session goes on. */
  addTitle(title: string): void {
    const id = `pond-title:${hash("sha256", title).slice(0, 32)}`;
    if (this.#titles.has(id)) return;
    this.#titles.add(id);
    this.#windows.push({ id, timestamp: titleTime, text: windowText(title), messageIds: [] });
  }

  /**
   * Ends the window: at a compaction, or at the end of the session.
   *
   * @returns False if none was open.
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

  /** Returns the windows so far, and forgets them. */
  take(): Window[] {
    return this.#windows.splice(0);
  }
}

/** True for the id of a window that continues a message which another window begins. */
export function isContinuation(id: string): boolean {
  return id.startsWith(continuationPrefix);
}

/** The parts of a message that matter to windows. */
export type WindowPiece = {
  readonly id: string;
  readonly timestamp: Micros;
  readonly text: string | null;
  /** The title that the message says the session has. */
  readonly title?: string | undefined;
  readonly isBoundary: boolean;
};

export function windowPiece({
  header,
  searchText,
}: Pick<PreparedMessage, "header" | "searchText">): WindowPiece {
  const { id, timestamp, options, role } = header;
  // Adapters mark the record at which a client compacted its context.
  const isBoundary = bagOf(options, "source")["boundary"] === "compaction";
  const title = role === "system" ? titleOf([header])?.text : undefined;
  return {
    ...{ id, timestamp, text: searchText, isBoundary },
    // Whatever a source put there: a title is short, and the column is plain text.
    ...(title !== undefined && { title: title.slice(0, titleChars).toWellFormed() }),
  };
}

/** The same of a message that is stored. */
export function pieceOfStored(message: Message): WindowPiece {
  return windowPiece({ header: message, searchText: searchText(message, partsOf(message)) });
}

/** The windows of these messages, which are all there are. */
export function windowsOf(pieces: Iterable<WindowPiece>): Window[] {
  const windows = new WindowBuilder();
  for (const piece of pieces) addPiece(windows, piece);
  windows.close();
  return windows.take();
}

/** @returns True if the piece completes a window. */
export function addPiece(windows: WindowBuilder, piece: WindowPiece): boolean {
  const isClosed = piece.isBoundary && windows.close();
  const { id, timestamp, text, title } = piece;
  if (title !== undefined) windows.addTitle(title);
  return (text !== null && windows.add(id, timestamp, text)) || isClosed;
}
