import type { MessageHeader, ReadEvent } from "@pond/canonical";

/**
 * Events that can be looked at before they are taken. Taking them afterwards does not wait again.
 */
export class PeekableEvents implements AsyncIterable<ReadEvent> {
  readonly #events: AsyncIterator<ReadEvent>;
  readonly #peeked: ReadEvent[] = [];

  constructor(events: AsyncIterable<ReadEvent>) {
    this.#events = events[Symbol.asyncIterator]();
  }

  [Symbol.asyncIterator](): AsyncIterator<ReadEvent> {
    const events = this.#events;
    return {
      next: () => {
        const value = this.#peeked.shift();
        return value ? Promise.resolve({ done: false, value }) : events.next();
      },
      return: async () => (await events.return?.()) ?? { done: true, value: undefined },
    };
  }

  /** The next messages, at most so many. */
  async peekMessages(limit: number): Promise<readonly MessageHeader[]> {
    const messages: MessageHeader[] = [];
    while (messages.length < limit) {
      const next = await this.#events.next();
      if (next.done) break;
      this.#peeked.push(next.value);
      if (next.value.kind === "message") messages.push(next.value.message);
    }
    return messages;
  }
}
