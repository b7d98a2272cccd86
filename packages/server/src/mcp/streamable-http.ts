import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { SequentialTransport } from "./sequential-transport.ts";

/** Answers one HTTP request; `body` is what a framework has already parsed. */
export type McpRequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  body?: unknown,
) => Promise<void>;

/**
 * Streamable HTTP without sessions: each POST is answered by itself, so that any number of
 * processes can stand behind one address. The requests of a batch are done one after the other. A
 * client that leaves cancels what it asked for.
 *
 * Whoever mounts it checks Host and Origin first, as `createHttpServer` does for every route.
 */
export function createMcpRequestHandler(createServer: () => Server): McpRequestHandler {
  return async (request, response, body) => {
    if (request.method !== "POST") {
      refuse(response);
      return;
    }
    const server = createServer();
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    void closed.then(() => server.close());
    // Its accessors have wider types than those of the interface that it implements.
    await server.connect(new SequentialTransport(transport as Transport));
    // A cancelled request is never answered, so nothing else would tell that it is over.
    await Promise.race([transport.handleRequest(request, response, body), closed]);
  };
}

/** There are no streams to listen to and no sessions to end. */
function refuse(response: ServerResponse): void {
  const error = { code: -32_000, message: "Method not allowed." };
  const body = JSON.stringify({ jsonrpc: "2.0", error, id: null });
  response.writeHead(405, {
    allow: "POST",
    "content-type": "application/json",
    "content-length": body.length,
  });
  response.end(body);
}
