import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { protocolVersion, type WireError } from "@pond/wire";
import { toWireError } from "../errors.ts";
import type { Handlers } from "../handlers.ts";
import { instructions } from "./instructions.ts";
import { resources } from "./resources.ts";
import { toolError } from "./tool-error.ts";
import { type Ask, tools } from "./tools.ts";

export type McpServerInit = {
  readonly handlers: Pick<Handlers, "handle">;
  /** Of the program, as clients show it. */
  readonly version: string;
  /** The tenant that is read; left out, the only one of a personal pond. */
  readonly namespace?: string | undefined;
  /** Told of what went wrong in the server itself, of which the client is told nothing else. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
};

/**
 * What a pond offers to agents: `pond_search` and `pond_get` as tools, `schema://pond` and
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
  const asking =
    (signal: AbortSignal): Ask =>
    (operation, fields) =>
      handlers.handle(operation, { ...fields, ...envelope }, { signal });

  const failed = (error: unknown): WireError => {
    const wireError = toWireError(error);
    if (wireError.code === "internal") onFailure?.(wireError.cause ?? wireError);
    return wireError;
  };

  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools.map(({ definition }) => definition),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const tool = tools.find(({ definition }) => definition.name === params.name);
    if (tool === undefined) {
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name.slice(0, 100)}`);
    }
    try {
      return await tool.call(params.arguments ?? {}, asking(signal));
    } catch (error) {
      return toolError(failed(error));
    }
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: resources.map(({ definition }) => definition),
  }));
  // Clients ask for them of whoever has resources.
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }, { signal }) => {
    const resource = resources.find(({ definition }) => definition.uri === params.uri);
    if (resource === undefined) {
      // The code the protocol gives to this.
      throw new McpError(-32_002, `There is no resource ${params.uri.slice(0, 100)}`);
    }
    const text = await resource
      .read(() => asking(signal)("status", {}))
      .catch((error) => {
        const wireError = failed(error);
        throw new McpError(ErrorCode.InternalError, wireError.message, wireError.toBody());
      });
    const { uri, mimeType } = resource.definition;
    return { contents: [{ uri, text, ...(mimeType !== undefined && { mimeType }) }] };
  });
  return server;
}
