import type { IncomingMessage } from "node:http";
import { refused } from "./refusals.ts";

/**
 * Refuses requests whose end a proxy in front may see elsewhere, so that a body to one side is a
 * request to the other (RFC 9112, 6.1), and whatever follows them on the same connection. Node
 * refuses the remaining kinds.
 *
 * @throws {WireError} `validation_failed` with `kind` `http_malformed`.
 */
export function createFramingCheck(): (request: IncomingMessage) => void {
  const broken = new WeakSet<object>();
  return ({ httpVersion, headers, socket }) => {
    const isChunked = headers["transfer-encoding"] !== undefined;
    const isSound = httpVersion === "1.1" || (httpVersion === "1.0" && !isChunked);
    if (isSound && !broken.has(socket)) return;
    broken.add(socket);
    throw refused("http_malformed", "use HTTP/1.1, or HTTP/1.0 without a chunked body");
  };
}
