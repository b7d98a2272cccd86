import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ErrorCode } from "@pond/wire";

/**
 * The reason of a signal that was aborted when nobody waits for the answer any more. Never sent.
 */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";
}

/** One request that is being answered. */
export class InFlightRequest {
  readonly socket: Socket;
  readonly startedMs: number = performance.now();
  readonly #controller: AbortController = new AbortController();
  #code = "ok";
  #work: Promise<unknown> | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
  }

  /** Aborted when the client leaves, the time is up, or the server cannot wait any longer. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The outcome: `ok`, or the code of an error. */
  get code(): string {
    return this.#code;
  }

  setCode(code: ErrorCode): void {
    this.#code = code;
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Keeps the flight open until `work` is over, whoever still waits for its answer. */
  track<T>(work: Promise<T>): Promise<T> {
    this.#work = work;
    return work;
  }

  /** Settles when nothing is being done for the request any more. */
  async settled(): Promise<void> {
    await this.#work?.catch(() => undefined);
  }
}

/** All requests that are being answered, so that a stop can wait for them or end them. */
export class InFlightRequests {
  readonly #open: Map<IncomingMessage, InFlightRequest> = new Map();
  readonly #perSocket: WeakMap<Socket, number> = new WeakMap();
  readonly #ending: WeakSet<Socket> = new WeakSet();
  #onIdle: (() => void) | undefined;

  open(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const flight = new InFlightRequest(socket);
    response.once("close", () => {
      if (!response.writableFinished) flight.abort(new ClientGoneError());
    });
    this.#open.set(request, flight);
    this.#perSocket.set(socket, (this.#perSocket.get(socket) ?? 0) + 1);
  }

  /** Undefined for a request that was refused before it became one. */
  find(request: IncomingMessage): InFlightRequest | undefined {
    return this.#open.get(request);
  }

  /** The flight of a request that is being answered. */
  of(request: IncomingMessage): InFlightRequest {
    const flight = this.find(request);
    if (flight === undefined) throw new TypeError("the request is not being answered");
    return flight;
  }

  /** Called when the answer has been sent, or nobody is there to take it. */
  close(request: IncomingMessage): void {
    const flight = this.of(request);
    const { socket } = flight;
    const left = (this.#perSocket.get(socket) ?? 1) - 1;
    this.#perSocket.set(socket, left);
    if (left === 0 && this.#ending.has(socket)) socket.destroySoon();
    void flight.settled().then(() => {
      this.#open.delete(request);
      if (this.#open.size === 0) this.#onIdle?.();
    });
  }

  isAnswering(socket: Socket): boolean {
    return (this.#perSocket.get(socket) ?? 0) > 0;
  }

  /**
   * Answers the complete requests of this connection, ends the others with `reason`, and closes it.
   */
  finish(socket: Socket, reason: unknown): void {
    this.#ending.add(socket);
    for (const [request, flight] of this.#open) {
      if (flight.socket === socket && !request.complete) flight.abort(reason);
    }
  }

  abortAll(reason: unknown): void {
    for (const flight of this.#open.values()) flight.abort(reason);
  }

  /** True if everything was answered in time. */
  idle(withinMs: number): Promise<boolean> {
    if (this.#open.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), withinMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
