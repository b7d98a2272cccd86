import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import type { ClientCall, CommonCall, ToolKind, Tools } from "@pond/canonical/adapter";
import {
  type ConvertedTool,
  type RenamedTool,
  readRenamed,
  toolVocabulary,
  writeRenamed,
} from "@pond/canonical/foreign";

/** The built-in tools of pi that other clients have, too. */
export const piTools: Tools = toolVocabulary([
  withTimeoutInSeconds({ name: "bash", kind: "shell", fields: { command: "command" } }),
  { name: "read", kind: "read", fields: { path: "path", offset: "offset", limit: "limit" } },
  { name: "write", kind: "write", fields: { path: "path", content: "content" } },
  editListTool("edit", { path: "path", old_text: "oldText", new_text: "newText" }),
  {
    name: "grep",
    kind: "grep",
    fields: { pattern: "pattern", path: "path", glob: "glob", ignore_case: "ignoreCase" },
  },
  { name: "find", kind: "glob", fields: { pattern: "pattern", path: "path" } },
  { name: "ls", kind: "list", fields: { path: "path" } },
]);

/** The built-in tools of omp that other clients have, too, with the names they had before. */
export const ompTools: Tools = toolVocabulary([
  withTimeoutInSeconds({
    name: "bash",
    kind: "shell",
    fields: { command: "command", directory: "cwd" },
  }),
  readOrFetchTool(),
  { name: "write", kind: "write", fields: { path: "path", content: "content" } },
  multiShapeTool("edit", [
    {
      kind: "edit",
      fields: {
        path: "path",
        old_text: "old_string",
        new_text: "new_string",
        replace_all: "replace_all",
      },
    },
    { kind: "edit", fields: { path: "path", old_text: "oldText", new_text: "newText" } },
    { kind: "edit", fields: { path: "path", old_text: "old_text", new_text: "new_text" } },
    { kind: "patch", fields: { patch: "input" } },
  ]),
  { name: "apply_patch", kind: "patch", fields: { patch: "input" } },
  { name: "grep", kind: "grep", fields: { pattern: "pattern", path: "path", glob: "glob" } },
  { name: "search", kind: "grep", fields: { pattern: "pattern", path: "path", glob: "glob" } },
  // Since 17, what is looked for and where is in one path.
  multiShapeTool("glob", [
    { kind: "glob", fields: { pattern: "pattern", path: "path" } },
    { kind: "glob", fields: { pattern: "path" } },
  ]),
  { name: "find", kind: "glob", fields: { pattern: "pattern", path: "path" } },
  { name: "ls", kind: "list", fields: { path: "path" } },
  { name: "fetch", kind: "fetch", fields: { url: "url", prompt: "prompt" } },
  { name: "web_search", kind: "web_search", fields: { query: "query" } },
  todoListTool(),
  { name: "todo_write", kind: "todo", fields: { items: "todos" } },
  multiShapeTool("task", [
    { kind: "agent", fields: { prompt: "task", description: "name", agent: "agent" } },
    { kind: "agent", fields: { prompt: "prompt", description: "description", agent: "agent" } },
  ]),
]);

type Shape = Omit<RenamedTool, "name">;

/** A tool whose parameters had several shapes; the first is the one written. */
function multiShapeTool(name: string, shapes: readonly Shape[]): ConvertedTool {
  const [first] = shapes;
  const kind: ToolKind = first?.kind ?? "shell";
  return {
    name,
    kind,
    read: (params) => {
      for (const shape of shapes) {
        const call = readRenamed(shape, params);
        if (call) return call;
      }
      return undefined;
    },
    write: (call) => first && writeRenamed({ name, fields: first.fields }, call),
  };
}

/** A command whose time limit is in seconds. */
function withTimeoutInSeconds({ name, kind, fields: names }: RenamedTool): ConvertedTool {
  return {
    name,
    kind,
    read: (params) => {
      const call = readRenamed({ kind, fields: names }, params);
      const seconds = call?.rest["timeout"];
      if (call === undefined || typeof seconds !== "number") return call;
      const { timeout: _, ...rest } = call.rest;
      return { kind, fields: { ...call.fields, timeout_ms: seconds * 1000 }, rest };
    },
    write: ({ fields, rest }) => {
      const { timeout_ms: limit, ...others } = fields;
      const timeout = typeof limit === "number" ? { timeout: limit / 1000 } : {};
      return writeRenamed(
        { name, fields: names },
        { kind, fields: { ...others, ...timeout }, rest },
      );
    },
  };
}

/** An edit in a list of edits; up to early 2026 it stood by itself. */
function editListTool(name: string, fields: Readonly<Record<string, string>>): ConvertedTool {
  const kind = "edit";
  return {
    name,
    kind,
    read: (params) => {
      const edit = isJsonObject(params) ? singleEdit(params) : undefined;
      return readRenamed({ kind, fields }, edit ?? params);
    },
    write: (call) => {
      const { params } = writeRenamed({ name, fields }, call);
      if (!isJsonObject(params)) return undefined;
      const { oldText = "", newText = "", ...others } = params;
      return { name, params: { ...others, edits: [{ oldText, newText }] } };
    },
  };
}

/** Several edits are not a call of any other client. */
function singleEdit(params: JsonObject): JsonObject | undefined {
  const { edits, ...others } = params;
  const [only, ...more]: readonly JsonValue[] = Array.isArray(edits) ? edits : [];
  return isJsonObject(only) && more.length === 0 ? { ...others, ...only } : undefined;
}

/** Since 17 omp reads addresses as it reads files. */
function readOrFetchTool(): ConvertedTool {
  const fields = { path: "path", offset: "offset", limit: "limit" };
  return {
    name: "read",
    kind: "read",
    read: (params) => {
      const path = isJsonObject(params) ? params["path"] : undefined;
      const isAddress = typeof path === "string" && /^https?:\/\//.test(path);
      return isAddress
        ? readRenamed({ kind: "fetch", fields: { url: "path" } }, params)
        : readRenamed({ kind: "read", fields }, params);
    },
    write: (call) => writeRenamed({ name: "read", fields }, call),
  };
}

/** A list that is set as a whole; changes of single items have no counterpart. */
function todoListTool(): ConvertedTool {
  return {
    name: "todo",
    kind: "todo",
    read: (params): CommonCall | undefined => {
      if (!isJsonObject(params)) return undefined;
      const { op, list, items, ...rest } = params;
      const phases: readonly JsonValue[] = Array.isArray(list) ? list : [{ items: items ?? null }];
      const texts = phases.flatMap((phase): readonly JsonValue[] => {
        const inside = isJsonObject(phase) ? phase["items"] : undefined;
        return Array.isArray(inside) ? inside : [];
      });
      if (op !== "init" || texts.length === 0) return undefined;
      const found = texts.map((content) => ({ content, status: "pending" }));
      return { kind: "todo", fields: { items: found }, rest };
    },
    write: ({ fields, rest }): ClientCall => {
      const items = Array.isArray(fields["items"]) ? fields["items"] : [];
      const texts = items.map((item: JsonValue) => {
        const content = isJsonObject(item) ? item["content"] : item;
        return typeof content === "string" ? content : "";
      });
      // The states have no place in it, so the items are also included as they were.
      return { name: "todo", params: { op: "init", items: texts, ...rest, original_items: items } };
    },
  };
}
