import type { IncomingMessage } from "node:http";
import type { Handlers } from "@pond/server";
import { type HttpMount, namespaceFromHeader } from "@pond/server/http";
import { createMcpRequestHandler, createMcpServer } from "@pond/server/mcp";

export type McpOptions = {
  readonly handlers: Handlers;
  readonly version: string;
  /** As for the HTTP server: if it is set, it decides. */
  readonly namespaceHeader: string | undefined;
  readonly onFailure: (error: unknown) => void;
};

const path = "/mcp";

/**
 * Mounts MCP at `/mcp/NAMESPACE`, because every client can be given at least an address; at `/mcp`
 * for the default namespace, or the one in the header.
 */
export function mcpMounts(options: McpOptions): Readonly<Record<string, HttpMount>> {
  const mount: HttpMount = (request, response, body) => {
    const createServer = () => createMcpServer(serverFor(request, options));
    return createMcpRequestHandler(createServer)(request, response, body);
  };
  return { [path]: mount, [`${path}/:namespace`]: mount };
}

function serverFor(
  request: IncomingMessage,
  { handlers, namespaceHeader, ...rest }: McpOptions,
): Parameters<typeof createMcpServer>[0] {
  // A text that cannot be a namespace, such as an escape, is unknown like any other.
  const [target = ""] = (request.url ?? "").split("?", 1);
  // An address with only a slash at its end names none either.
  const namespace = target.slice(`${path}/`.length) || undefined;
  if (namespaceHeader === undefined) return { ...rest, handlers, namespace };
  const handle: Handlers["handle"] = async (operation, asked, context) => {
    const only = namespaceFromHeader(request, namespaceHeader);
    return handlers.handle(operation, asked, { ...context, namespace: only });
  };
  return { ...rest, handlers: { handle }, namespace };
}
