import type { SourceRecord } from "@pond/canonical/adapter";

/** What the client asks its helper agents by itself, and what they answer: records, by their ids. */
export class HelperTalk {
  readonly #ids: Set<string> = new Set();

  /** Begins with a prompt of the client. */
  begin(prompt: SourceRecord): void {
    const id = prompt.peek("uuid");
    if (typeof id === "string") this.#ids.add(id);
  }

  /** True for an answer to such a prompt; what follows that answer is one, too. */
  goesOn(answer: SourceRecord): boolean {
    const parent = answer.peek("parentUuid");
    const isAnswer = typeof parent === "string" && this.#ids.has(parent);
    if (isAnswer) this.begin(answer);
    return isAnswer;
  }
}
