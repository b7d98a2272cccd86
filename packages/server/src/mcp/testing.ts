import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";

/** What a tool answered for programs. */
// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
export function answered({ isError, structuredContent, content }: CallToolResult): any {
  if (isError || structuredContent === undefined) throw new Error(JSON.stringify(content));
  return structuredContent;
}

/** What it answered for models. */
export function textOf({ content }: CallToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
