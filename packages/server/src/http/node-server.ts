import { createServer, type Server } from "node:http";
import type { HttpLimits } from "./limits.ts";
import { refused } from "./refusals.ts";
import { sendError } from "./send-error.ts";

/** How often Node looks for requests that arrive too slowly. */
const checkEveryMs = 500;

/** Node's HTTP server with limits: slow senders, idle connections and floods of them are ended. */
export function createNodeServer(limits: HttpLimits): Server {
  const { headersTimeoutMs, bodyTimeoutMs, answerTimeoutMs, idleTimeoutMs } = limits;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    // Bodies have a timeout of their own that can say what was wrong. This one is a fallback.
    requestTimeout: headersTimeoutMs + bodyTimeoutMs + limits.lingerMs + checkEveryMs,
    keepAliveTimeout: idleTimeoutMs,
    connectionsCheckingInterval: Math.min(checkEveryMs, headersTimeoutMs),
    // A request without a Host is refused together with other wrong hosts, in the same words.
    requireHostHeader: false,
  });
  // Node drops headers beyond its count, possibly an Origin; their bytes are bounded instead.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  // For a client that reads nothing of its answer, or sends nothing at all.
  server.setTimeout(bodyTimeoutMs + answerTimeoutMs);
  server.on("checkExpectation", (request, response) => {
    sendError(response, refused("http_malformed", "the only expectation served is 100-continue"));
    request.resume();
  });
  // No protocol is offered to upgrade to.
  server.on("connect", (_, socket) => socket.destroy());
  return server;
}
