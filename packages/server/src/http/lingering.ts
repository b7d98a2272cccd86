import type { IncomingMessage } from "node:http";

/**
 * Reads and discards the rest of an unwanted body for so long. Closing at once would reset the
 * connection, and the client would lose the answer that says why.
 */
export function linger(request: IncomingMessage, forMs: number): void {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.socket.destroy(), forMs);
  const stop = (): void => clearTimeout(timer);
  request.once("end", stop).once("close", stop);
  request.resume();
}
