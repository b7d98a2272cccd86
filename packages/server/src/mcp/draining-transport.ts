import type {
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage, RequestId } from "@modelcontextprotocol/sdk/types.js";

/** A transport that knows which requests are not answered yet. */
export class DrainingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport["onmessage"]>;
  readonly #inner: Transport;
  readonly #open = new Set<RequestId>();
  #onDrained: (() => void) | undefined;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message, extra) => {
      if ("method" in message && "id" in message) this.#open.add(message.id);
      // A cancelled request is never answered.
      const cancelled = cancelledBy(message);
      this.onmessage?.(message, extra);
      if (cancelled !== undefined) this.#settle(cancelled);
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    await this.#inner.send(message, options);
    if (!("method" in message) && message.id !== undefined) this.#settle(message.id);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Settles when every request that came is answered. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#onDrained = resolve;
      if (this.#open.size === 0) resolve();
    });
  }

  #settle(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#onDrained?.();
  }
}

function cancelledBy(message: JSONRPCMessage): RequestId | undefined {
  if (!("method" in message) || message.method !== "notifications/cancelled") return undefined;
  const id = message.params?.["requestId"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
