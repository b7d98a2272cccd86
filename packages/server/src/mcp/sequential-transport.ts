import type {
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";

/**
 * A transport that passes on a request when the one before is answered: a batch of a hundred asks
 * for no more at a time than a single request does.
 */
export class SequentialTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #inner: Transport;
  readonly #waiting: (() => void)[] = [];
  #isAnswering = false;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message, extra) => {
      const deliver = (): void => this.onmessage?.(message, extra);
      if (!("method" in message && "id" in message)) return deliver();
      this.#waiting.push(deliver);
      if (!this.#isAnswering) this.#deliverNext();
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    await this.#inner.send(message, options);
    if (!("method" in message)) this.#deliverNext();
  }

  /** Nobody asks any more for the requests that still wait. */
  close(): Promise<void> {
    this.#waiting.length = 0;
    return this.#inner.close();
  }

  #deliverNext(): void {
    const next = this.#waiting.shift();
    this.#isAnswering = next !== undefined;
    next?.();
  }
}
