import { createServer, type Server } from "node:http";
import type { HttpLimits } from "./limits.ts";
import { refused } from "./refusals.ts";
import { sendError } from "./send-error.ts";

/** How often Node looks for requests that take too long to arrive. */
const checkEveryMs = 500;

/** Node's HTTP server, bounded: slow senders, idle connections and floods of them end. */
export function createNodeServer(limits: HttpLimits): Server {
  const { headersTimeoutMs, bodyTimeoutMs, answerTimeoutMs, idleTimeoutMs } = limits;
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    // Bodies have a clock of their own that can say what was wrong; this one is behind it.
    requestTimeout: headersTimeoutMs + bodyTimeoutMs + limits.lingerMs + checkEveryMs,
    keepAliveTimeout: idleTimeoutMs,
    connectionsCheckingInterval: Math.min(checkEveryMs, headersTimeoutMs),
    // A request without a Host is refused where the other hosts are, in the same words.
    requireHostHeader: false,
  });
  // Node leaves out headers beyond its count, an Origin among them; their bytes are bounded.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.maxConnections;
  // A client that reads nothing of its answer, or sends nothing at all.
  server.setTimeout(bodyTimeoutMs + answerTimeoutMs);
  server.on("checkExpectation", (request, response) => {
    sendError(response, refused("http_malformed", "the only expectation served is 100-continue"));
    request.resume();
  });
  // There is nothing here that a connection could become.
  server.on("connect", (_, socket) => socket.destroy());
  return server;
}
