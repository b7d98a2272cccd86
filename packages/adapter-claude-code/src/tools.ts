import type { Tools } from "@pond/canonical/adapter";
import { toolVocabulary } from "@pond/canonical/foreign";

const agent = { prompt: "prompt", description: "description", agent: "subagent_type" };

/** The client's built-in tools that other clients have, too. */
export const claudeCodeTools: Tools = toolVocabulary([
  {
    name: "Bash",
    kind: "shell",
    fields: { command: "command", timeout_ms: "timeout", description: "description" },
  },
  {
    name: "Read",
    kind: "read",
    fields: { path: "file_path", offset: "offset", limit: "limit" },
  },
  { name: "Write", kind: "write", fields: { path: "file_path", content: "content" } },
  {
    name: "Edit",
    kind: "edit",
    fields: {
      path: "file_path",
      old_text: "old_string",
      new_text: "new_string",
      replace_all: "replace_all",
    },
  },
  {
    name: "Grep",
    kind: "grep",
    fields: { pattern: "pattern", path: "path", glob: "glob", ignore_case: "-i" },
  },
  { name: "Glob", kind: "glob", fields: { pattern: "pattern", path: "path" } },
  { name: "LS", kind: "list", fields: { path: "path" } },
  { name: "WebFetch", kind: "fetch", fields: { url: "url", prompt: "prompt" } },
  { name: "WebSearch", kind: "web_search", fields: { query: "query" } },
  { name: "TodoWrite", kind: "todo", fields: { items: "todos" } },
  { name: "Task", kind: "agent", fields: agent },
  { name: "Agent", kind: "agent", fields: agent },
]);
