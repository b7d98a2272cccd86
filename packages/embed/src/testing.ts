import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "./retry.ts";

export type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

/** A server on this machine that answers request after request as told, the last for good. */
export class LoopbackServer {
  readonly seen: SeenRequest[] = [];
  /** Hosts that a client asked to be connected to, when this is a proxy; all are refused. */
  readonly connects: string[] = [];
  readonly #answers: readonly Answer[];
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(answers: readonly Answer[]) {
    this.#answers = answers;
    this.#server.on("connect", ({ url }, socket) => {
      this.connects.push(String(url));
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
  }

  static async with(...answers: readonly Answer[]): Promise<LoopbackServer> {
    const server = new LoopbackServer(answers);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString("utf8");
    const { method = "", url = "", headers } = request;
    const seen = { method, url, headers, body };
    const answer = this.#answers[Math.min(this.seen.length, this.#answers.length - 1)];
    this.seen.push(seen);
    answer?.(seen, response);
  }
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void;

/** An answer of a status, with a body. */
export function respondWith(status: number, body: unknown = "", headers: object = {}): Answer {
  return (_, response) => {
    response.writeHead(status, { ...headers });
    const isPlain = typeof body === "string" || body instanceof Uint8Array;
    response.end(isPlain ? body : JSON.stringify(body));
  };
}

/** Time that passes when somebody sleeps, and chance that always gives the most. */
export class TestClock implements Clock {
  readonly slept: number[] = [];
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.#now += ms;
  }

  random(): number {
    return 1;
  }
}
