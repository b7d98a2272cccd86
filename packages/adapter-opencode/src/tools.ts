import type { JsonValue } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import type { ToolKind, Tools } from "@pond/canonical/adapter";
import {
  type ConvertedTool,
  type RenamedTool,
  readRenamed,
  toolVocabulary,
  writeRenamed,
} from "@pond/canonical/foreign";

type Fields = RenamedTool["fields"];

const shell = {
  command: "command",
  directory: "workdir",
  timeout_ms: "timeout",
  description: "description",
};
const agent = { prompt: "prompt", description: "description" };
const patch = { patch: "patchText" };

/** A file's path is `filePath` in 1.x and `path` in 2.x. */
function fileTool(name: string, kind: ToolKind, others: Fields): ConvertedTool {
  const [fields, later] = [
    { path: "filePath", ...others },
    { path: "path", ...others },
  ];
  return {
    name,
    kind,
    read: (params) =>
      readRenamed({ kind, fields }, params) ?? readRenamed({ kind, fields: later }, params),
    write: (call) => writeRenamed({ name, fields }, call),
  };
}

/**
 * The client's built-in tools that other clients have, too, of 1.x and 2.x; those of 1.x are
 * written.
 */
export const opencodeTools: Tools = toolVocabulary([
  { name: "bash", kind: "shell", fields: shell },
  { name: "shell", kind: "shell", fields: shell },
  fileTool("read", "read", { offset: "offset", limit: "limit" }),
  fileTool("write", "write", { content: "content" }),
  fileTool("edit", "edit", {
    old_text: "oldString",
    new_text: "newString",
    replace_all: "replaceAll",
  }),
  { name: "apply_patch", kind: "patch", fields: patch },
  { name: "patch", kind: "patch", fields: patch },
  { name: "grep", kind: "grep", fields: { pattern: "pattern", path: "path", glob: "include" } },
  { name: "glob", kind: "glob", fields: { pattern: "pattern", path: "path" } },
  { name: "list", kind: "list", fields: { path: "path" } },
  { name: "webfetch", kind: "fetch", fields: { url: "url" } },
  { name: "websearch", kind: "web_search", fields: { query: "query" } },
  {
    name: "todowrite",
    kind: "todo",
    read: (params) => readRenamed({ kind: "todo", fields: { items: "todos" } }, params),
    write: ({ fields: { items, ...fields }, rest }) => ({
      name: "todowrite",
      params: { ...fields, ...rest, todos: Array.isArray(items) ? items.map(withPriority) : [] },
    }),
  },
  { name: "task", kind: "agent", fields: { ...agent, agent: "subagent_type" } },
  { name: "subagent", kind: "agent", fields: { ...agent, agent: "agent" } },
]);

/** The client's list shows no item without it. */
function withPriority(item: JsonValue): JsonValue {
  return isJsonObject(item) && item["priority"] === undefined
    ? { ...item, priority: "medium" }
    : item;
}
