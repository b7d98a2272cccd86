export { createMcpServer, type McpServerInit } from "./server.ts";
export { type StdioOptions, serveStdio } from "./stdio.ts";
export { createMcpRequestHandler, type McpRequestHandler } from "./streamable-http.ts";
