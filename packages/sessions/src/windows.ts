import type { Micros } from "@pond/canonical";

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

  add(id: string, timestamp: Micros, text: string): void {
    if (this.#ids.length === 0) this.#timestamp = timestamp;
    this.#ids.push(id);
    this.#texts.push(text);
    this.#chars += text.length;
    if (this.#chars >= windowChars) this.close();
  }

  /** Ends the window: at a compaction, or at the end of the session. */
  close(): void {
    const [id] = this.#ids;
    if (id === undefined) return;
    this.#windows.push({
      id,
      timestamp: this.#timestamp,
      text: this.#texts.join("\n"),
      messageIds: this.#ids,
    });
    this.#texts = [];
    this.#ids = [];
    this.#chars = 0;
  }

  /** The windows so far; those taken are forgotten. */
  take(): Window[] {
    return this.#windows.splice(0);
  }
}
