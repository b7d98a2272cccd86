import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "@pond/canonical";
import {
  type ClientCall,
  type CommonCall,
  objectOf,
  type ToolKind,
  type Tools,
} from "@pond/canonical/adapter";
import {
  type ConvertedTool,
  readRenamed,
  toolVocabulary,
  writeRenamed,
} from "@pond/canonical/foreign";
import { addFilePatch, updateFilePatch } from "./foreign/patch.ts";

/** The tools, of every generation of the client, that other clients have, too. */
export const codexTools: Tools = toolVocabulary([
  // The first of each kind is the one that is written.
  renamedTool("exec_command", "shell", { command: "cmd", directory: "workdir" }),
  renamedTool("shell_command", "shell", {
    command: "command",
    directory: "workdir",
    timeout_ms: "timeout_ms",
  }),
  { name: "shell", kind: "shell", read: readShell },
  { name: "container.exec", kind: "shell", read: readShell },
  { name: "local_shell_call", kind: "shell", read: readShell },
  {
    name: "apply_patch",
    kind: "patch",
    read: readPatch,
    write: ({ fields, rest }) => patchCall(isEmpty(rest) ? fields["patch"] : undefined),
  },
  {
    name: "apply_patch to write",
    kind: "write",
    read: () => undefined,
    write: ({ fields, rest }) =>
      patchCall(isEmpty(rest) ? addFilePatch(fields["path"], fields["content"]) : undefined),
  },
  {
    name: "apply_patch to edit",
    kind: "edit",
    read: () => undefined,
    write: ({ fields: { path, old_text, new_text, replace_all }, rest }) => {
      // A patch changes one place, and has no room for anything else.
      const isPatch = replace_all !== true && isEmpty(rest);
      return patchCall(isPatch ? updateFilePatch(path, old_text, new_text) : undefined);
    },
  },
  renamedTool("read_file", "read", { path: "file_path", offset: "offset", limit: "limit" }),
  renamedTool("view_image", "read", { path: "path" }),
  renamedTool("grep_files", "grep", { pattern: "pattern", path: "path", glob: "include" }),
  renamedTool("list_dir", "list", { path: "dir_path" }),
  renamedTool("web_search", "web_search", { query: "query" }),
  { name: "web_search_call", kind: "web_search", read: readWebSearch },
  { name: "update_plan", kind: "todo", read: readPlan, write: writePlan },
  renamedTool("spawn_agent", "agent", { prompt: "message", agent: "agent_type" }),
]);

/** A tool whose parameters differ only in name. The client keeps them as JSON text. */
function renamedTool(
  name: string,
  kind: ToolKind,
  fields: Readonly<Record<string, string>>,
): ConvertedTool {
  return {
    name,
    kind,
    read: (params) => readRenamed({ kind, fields }, fieldsOf(params)),
    write: (call) => writeRenamed({ name, fields }, call),
  };
}

/** A command as a list of arguments; up to 2025, patches were commands, too. */
function readShell(params: JsonValue): CommonCall | undefined {
  const { command, type, ...others } = fieldsOf(params);
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) {
    return undefined;
  }
  // A local shell marks every call as one.
  const rest = type === undefined || type === "exec" ? others : { type, ...others };
  const [program, patch, ...more] = command;
  if (program === "apply_patch" && patch !== undefined && more.length === 0) {
    return { kind: "patch", fields: { patch }, rest };
  }
  const directory = typeof rest["workdir"] === "string" ? "workdir" : "working_directory";
  const fields = { command: "command", directory, timeout_ms: "timeout_ms" };
  return readRenamed({ kind: "shell", fields }, { command: commandLine(command), ...rest });
}

function commandLine(words: readonly string[]): string {
  const [shell = "", flag = "", script, ...others] = words;
  const isScript = /^(?:.*\/)?(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag);
  if (isScript && script !== undefined && others.length === 0) return script;
  return words.map(quoteWord).join(" ");
}

function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The patch itself, or the parameter of a function that holds it. */
function readPatch(params: JsonValue): CommonCall | undefined {
  if (typeof params === "string" && params.trimStart().startsWith("***")) {
    return { kind: "patch", fields: { patch: params }, rest: {} };
  }
  return readRenamed({ kind: "patch", fields: { patch: "input" } }, fieldsOf(params));
}

function patchCall(patch: JsonValue | undefined) {
  return typeof patch === "string" ? { name: "apply_patch", params: patch } : undefined;
}

function readWebSearch(params: JsonValue): CommonCall | undefined {
  const { type, ...action } = fieldsOf(params);
  if (type === "open_page") return readRenamed({ kind: "fetch", fields: { url: "url" } }, action);
  return readRenamed({ kind: "web_search", fields: { query: "query" } }, action);
}

function readPlan(params: JsonValue): CommonCall | undefined {
  const { plan, ...rest } = fieldsOf(params);
  const items = renameTextField(plan, "step", "content");
  return items && { kind: "todo", fields: { items }, rest };
}

function writePlan(call: CommonCall): ClientCall | undefined {
  const items = renameTextField(call.fields["items"], "content", "step");
  const tool = { name: "update_plan", fields: { items: "plan" } };
  return items && writeRenamed(tool, { ...call, fields: { items } });
}

/** Items of a list with their text under another name; undefined if one has none, or both. */
function renameTextField(
  list: JsonValue | undefined,
  from: string,
  to: string,
): JsonObject[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const items = list.flatMap((item) => {
    if (!isJsonObject(item) || typeof item[from] !== "string" || Object.hasOwn(item, to)) return [];
    const entries = Object.entries(item);
    return [Object.fromEntries(entries.map(([key, value]) => [key === from ? to : key, value]))];
  });
  return items.length === list.length ? items : undefined;
}

/** Parameters as an object, even if a text holds them; empty if they are not an object. */
function fieldsOf(params: JsonValue): JsonObject {
  // A model may write anything.
  return objectOf(typeof params === "string" ? tryParseJson(params) : params);
}

function isEmpty(rest: JsonObject): boolean {
  return Object.keys(rest).length === 0;
}
