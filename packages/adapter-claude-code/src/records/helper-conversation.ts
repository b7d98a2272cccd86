import type { SourceRecord } from "@pond/canonical/adapter";

/**
 * What the client asks its helper agents on its own, and what they answer: records, by their ids.
 */
export class HelperConversation {
  readonly #ids: Set<string> = new Set();

  /** Notes a prompt of the client. */
  addPrompt(prompt: SourceRecord): void {
    const id = prompt.peek("uuid");
    if (typeof id === "string") this.#ids.add(id);
  }

  /**
   * True for an answer to such a prompt. Whatever follows that answer is one, too, even after
   * results of tools and output of hooks, until something else is asked.
   */
  follow(record: SourceRecord): boolean {
    const parent = record.peek("parentUuid");
    const isAnswer = typeof parent === "string" && this.#ids.has(parent);
    if (isAnswer) this.addPrompt(record);
    return isAnswer;
  }
}
