import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type RequestId,
} from "@modelcontextprotocol/sdk/types.js";
import { protocolVersion, type WireError } from "@pond/wire";
import { isAbort, toWireError } from "../errors.ts";
import type { Handlers } from "../handlers.ts";
import { instructions } from "./instructions.ts";
import { resources } from "./resources.ts";
import { toolError } from "./tool-error.ts";
import { type Ask, tools } from "./tools.ts";

/** What the MCP server needs. */
export type McpServerInit = {
  readonly handlers: Pick<Handlers, "handle">;
  /** The program's version, as clients show it. */
  readonly version: string;
  /** The tenant to read. Left out, it is the only one of a personal pond. */
  readonly namespace?: string | undefined;
  /**
   * Called with an error of the server itself. The client is told nothing but the id of its
   * message, by which its answer can be found (spec 7.2).
   */
  readonly onFailure?: ((error: unknown, requestId: string) => void) | undefined;
};

/**
 * Offers a pond to agents: `pond_search`, `pond_list` and `pond_get` as tools, `schema://pond` and
 * `stats://pond` as resources. It only reads (spec 7.7), and serves one connection.
 */
export function createMcpServer(init: McpServerInit): Server {
  const { handlers, version, namespace, onFailure } = init;
  const server = new Server(
    { name: "pond", title: "pond", version },
    { capabilities: { tools: {}, resources: {} }, instructions },
  );
  const envelope = {
    protocol_version: protocolVersion,
    ...(namespace !== undefined && { namespace }),
  };
  const askFor =
    ({ signal, requestId }: CallContext): Ask =>
    (operation, fields) =>
      handlers.handle(
        operation,
        { ...fields, ...envelope },
        { signal, requestId: requestIdOf(requestId) },
      );

  const failed = (error: unknown, { signal, requestId }: CallContext): WireError => {
    const wireError = toWireError(error, requestIdOf(requestId));
    // A request that the client gave up is no failure, and is not answered.
    const isFailure = wireError.code === "internal" && !isAbort(error, signal);
    if (isFailure) onFailure?.(wireError.cause ?? wireError, requestIdOf(requestId));
    return wireError;
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ definition }) => definition),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, asked) => {
    const tool = tools.find(({ definition }) => definition.name === params.name);
    if (tool === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, 100)}`);
    }
    try {
      return await tool.call(params.arguments ?? {}, askFor(asked));
    } catch (error) {
      return toolError(failed(error, asked));
    }
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: resources.map(({ definition }) => definition),
  }));
  // Clients ask every server with resources for templates.
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, asked) => {
    const resource = resources.find(({ definition }) => definition.uri === params.uri);
    if (resource === undefined) {
      // The code that the protocol assigns to this.
      throw new McpError(-32_002, `There is no resource ${params.uri.slice(0, 100)}`);
    }
    const text = await resource
      .read(() => askFor(asked)("status", {}))
      .catch((error) => {
        const wireError = failed(error, asked);
        throw new McpError(ErrorCode.InternalError, wireError.message, wireError.toBody());
      });
    const { uri, mimeType } = resource.definition;
    return { contents: [{ uri, text, ...(mimeType !== undefined && { mimeType }) }] };
  });
  return server;
}

/** What the protocol knows about one message of a client. */
type CallContext = { readonly signal: AbortSignal; readonly requestId: RequestId };

/** A client may use anything as the id of its messages. */
function requestIdOf(requestId: RequestId): string {
  return String(requestId).slice(0, 64).toWellFormed();
}
