import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { parseJson } from "@pond/canonical";
import { type Client, createClient } from "@pond/client";
import type { Home } from "./pond.ts";

export type Operation = "search" | "list" | "get" | "status";
export type Fields = Readonly<Record<string, string | number | boolean>>;
/** An answer, or the content of an error. */
type Answer = Readonly<Record<string, unknown>>;

/** One store, asked in four ways. */
export type Transports = {
  readonly client: Client;
  http(operation: Operation, fields: Fields): Promise<Answer>;
  mcp(operation: Operation, fields: Fields): Promise<Answer>;
  mcpOverHttp(operation: Operation, fields: Fields): Promise<Answer>;
  /** The command line, in this process, because its start is the same for every question. */
  commandLine(operation: Operation, fields: Fields): Promise<Answer>;
  close(): Promise<void>;
};

/** Starts a server and an MCP server on the store of a home. */
export async function openTransports(home: Home): Promise<Transports> {
  const server = await home.serve();
  const client = createClient({ url: server.url });
  const mcpOverHttp = new McpClient({ name: "test", version: "1" });
  await mcpOverHttp.connect(new StreamableHTTPClientTransport(new URL(server.mcp)));
  const mcp = new McpClient({ name: "test", version: "1" });
  const [command, ...args] = home.command;
  await mcp.connect(
    new StdioClientTransport({ command, args: [...args, "mcp"], env: home.env, stderr: "pipe" }),
  );
  return {
    client,
    http: (operation, fields) =>
      // Everything in the table is sent, even if it makes no sense.
      client[operation](Object(fields)).then(answerOf, errorOf),
    mcp: (operation, fields) => askMcp(mcp, operation, fields),
    mcpOverHttp: (operation, fields) => askMcp(mcpOverHttp, operation, fields),
    commandLine: async (operation, fields) => {
      const { stdout } = await home.pondHere(...argumentsOf(operation, fields));
      // One session per line, so that no list is too long to print.
      if (operation === "list") return { sessions: stdout.trimEnd().split("\n").map(parseJson) };
      const answer = answerOf(parseJson(stdout));
      return "error" in answer ? errorOf(answer["error"]) : answer;
    },
    close: async () => {
      await Promise.all([server.stop(), mcp.close(), mcpOverHttp.close()]);
    },
  };
}

async function askMcp(mcp: McpClient, operation: Operation, fields: Fields): Promise<Answer> {
  if (operation === "status") {
    const { contents } = await mcp.readResource({ uri: "stats://pond" });
    return answerOf(JSON.parse(String(Object(contents[0]).text)));
  }
  const request = { ...fields, max_characters: 100_000 };
  const result = await mcp.callTool(
    { name: `pond_${operation}`, arguments: request },
    CallToolResultSchema,
  );
  if (!result.isError) return answerOf(result.structuredContent);
  return errorOf(JSON.parse(String(Object(Object(result.content)[0]).text)).error);
}

const flags: Readonly<Record<string, string>> = {
  response_mode: "mode",
  message_id: "message",
  context_depth: "context",
  after_id: "after",
  min_score: "min-score",
};

function argumentsOf(operation: Operation, fields: Fields): string[] {
  const { query, session_id, ...others } = fields;
  const options = Object.entries(others).flatMap(([name, value]) => [
    `--${flags[name] ?? name}`,
    String(value),
  ]);
  const about = query ?? session_id;
  return [operation, "--json", ...options, ...(about === undefined ? [] : ["--", String(about)])];
}

/** The answer without the time it took, and without what MCP adds for a model. */
function answerOf(value: unknown): Answer {
  const { took_ms, notice, hint, ...answer } = Object(value);
  return answer;
}

function errorOf(error: unknown): Answer {
  const { code, message, details } = Object(error);
  return { code, message, details };
}
