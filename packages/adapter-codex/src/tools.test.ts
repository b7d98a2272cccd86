import type { JsonValue } from "@pond/canonical";
import type { ClientCall, CommonCall } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { codexTools } from "./tools.ts";

const call = (name: string, params: JsonValue): ClientCall => ({ name, params });
const json = (name: string, params: object): ClientCall => call(name, JSON.stringify(params));
const patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";

it.each<[name: string, call: ClientCall, common: CommonCall | undefined]>([
  [
    "exec_command",
    json("exec_command", { cmd: "ls", workdir: "/a", yield_time_ms: 5 }),
    { kind: "shell", fields: { command: "ls", directory: "/a" }, rest: { yield_time_ms: 5 } },
  ],
  [
    "shell_command",
    json("shell_command", { command: "ls", timeout_ms: 5 }),
    { kind: "shell", fields: { command: "ls", timeout_ms: 5 }, rest: {} },
  ],
  [
    "a shell call with a script",
    json("shell", { command: ["bash", "-lc", "ls | wc"], workdir: "/a", justification: "x" }),
    {
      kind: "shell",
      fields: { command: "ls | wc", directory: "/a" },
      rest: { justification: "x" },
    },
  ],
  [
    "a shell call with separate words",
    json("container.exec", { command: ["rg", "it's", "src/a.ts"] }),
    { kind: "shell", fields: { command: "rg 'it'\\''s' src/a.ts" }, rest: {} },
  ],
  [
    "a local shell call",
    call("local_shell_call", {
      type: "exec",
      command: ["true"],
      timeout_ms: 9,
      working_directory: "/a",
    }),
    { kind: "shell", fields: { command: "true", directory: "/a", timeout_ms: 9 }, rest: {} },
  ],
  [
    "a patch through the shell",
    json("shell", { command: ["apply_patch", patch], workdir: "/a" }),
    { kind: "patch", fields: { patch }, rest: { workdir: "/a" } },
  ],
  [
    "a patch through the shell with a timeout",
    json("shell", { command: ["apply_patch", patch], workdir: 5, timeout_ms: 10_000 }),
    { kind: "patch", fields: { patch }, rest: { workdir: 5, timeout_ms: 10_000 } },
  ],
  [
    "a shell call with parameters of other types",
    json("shell", { command: ["ls"], timeout_ms: "10000", workdir: 5, type: "x" }),
    {
      kind: "shell",
      fields: { command: "ls" },
      rest: { timeout_ms: "10000", workdir: 5, type: "x" },
    },
  ],
  [
    "a shell call with two directories",
    json("shell", { command: ["ls"], workdir: "/a", working_directory: "/b" }),
    {
      kind: "shell",
      fields: { command: "ls", directory: "/a" },
      rest: { working_directory: "/b" },
    },
  ],
  ["a patch", call("apply_patch", patch), { kind: "patch", fields: { patch }, rest: {} }],
  [
    "a patch in an input field",
    json("apply_patch", { input: patch }),
    { kind: "patch", fields: { patch }, rest: {} },
  ],
  [
    "a plan",
    json("update_plan", { explanation: "x", plan: [{ step: "a", status: "pending" }] }),
    {
      kind: "todo",
      fields: { items: [{ content: "a", status: "pending" }] },
      rest: { explanation: "x" },
    },
  ],
  [
    "a viewed image",
    json("view_image", { path: "/a.png" }),
    { kind: "read", fields: { path: "/a.png" }, rest: {} },
  ],
  [
    "a spawned agent",
    json("spawn_agent", { message: "look", agent_type: "explorer" }),
    { kind: "agent", fields: { prompt: "look", agent: "explorer" }, rest: {} },
  ],
  [
    "a web search",
    call("web_search_call", { type: "search", query: "looms", queries: ["looms"] }),
    { kind: "web_search", fields: { query: "looms" }, rest: { queries: ["looms"] } },
  ],
  [
    "an opened page",
    call("web_search_call", { type: "open_page", url: "https://example.org" }),
    { kind: "fetch", fields: { url: "https://example.org" }, rest: {} },
  ],
  ["a shell call whose command is a string", json("shell", { command: "ls" }), undefined],
  ["parameters that are not JSON", call("exec_command", "{"), undefined],
  ["parameters that are not an object", call("update_plan", "[]"), undefined],
  ["a plan of plain texts", json("update_plan", { plan: ["a", "b"] }), undefined],
  [
    "a plan without a step's text",
    json("update_plan", { plan: [{ status: "pending" }] }),
    undefined,
  ],
  ["a step whose text is a number", json("update_plan", { plan: [{ step: 5 }] }), undefined],
  [
    "a step with a field named like the common one",
    json("update_plan", { plan: [{ step: "a", content: "b" }] }),
    undefined,
  ],
  ["an MCP server's tool", json("mcp__a__b", {}), undefined],
])("translates a client's call to a common call, if it can: %s", (_, from, common) => {
  expect(codexTools.read(from)).toEqual(common);
});

it.each<[name: string, common: CommonCall, call: ClientCall | undefined]>([
  [
    "a command",
    { kind: "shell", fields: { command: "ls", description: "list" }, rest: { background: true } },
    call("exec_command", { cmd: "ls", description: "list", background: true }),
  ],
  ["a patch", { kind: "patch", fields: { patch }, rest: {} }, call("apply_patch", patch)],
  [
    "a new file",
    { kind: "write", fields: { path: "/a", content: "one\ntwo\n" }, rest: {} },
    call("apply_patch", "*** Begin Patch\n*** Add File: /a\n+one\n+two\n*** End Patch"),
  ],
  [
    "a new empty file",
    { kind: "write", fields: { path: "/a", content: "" }, rest: {} },
    call("apply_patch", "*** Begin Patch\n*** Add File: /a\n*** End Patch"),
  ],
  [
    "an edit",
    { kind: "edit", fields: { path: "/a", old_text: "a\n", new_text: "b\n\nc" }, rest: {} },
    call("apply_patch", "*** Begin Patch\n*** Update File: /a\n@@\n-a\n+b\n+\n+c\n*** End Patch"),
  ],
  [
    "an edit of every occurrence",
    {
      kind: "edit",
      fields: { path: "/a", old_text: "a", new_text: "b", replace_all: true },
      rest: {},
    },
    undefined,
  ],
  [
    "an edit with an unknown field",
    { kind: "edit", fields: { path: "/a", old_text: "a", new_text: "b" }, rest: { edits: 2 } },
    undefined,
  ],
  [
    "a file with a newline in its name",
    { kind: "write", fields: { path: "/a\n*** x", content: "" }, rest: {} },
    undefined,
  ],
  [
    "a to-do list",
    {
      kind: "todo",
      fields: { items: [{ content: "a", status: "pending", activeForm: "doing a" }] },
      rest: {},
    },
    call("update_plan", { plan: [{ step: "a", status: "pending", activeForm: "doing a" }] }),
  ],
  [
    "a to-do list beside a plan field",
    { kind: "todo", fields: { items: [{ content: "a" }] }, rest: { plan: "b" } },
    call("update_plan", { plan: [{ step: "a" }], original_plan: "b" }),
  ],
  ["a to-do list of plain texts", { kind: "todo", fields: { items: ["a"] }, rest: {} }, undefined],
  [
    "a to-do item without a text",
    { kind: "todo", fields: { items: [{ content: "a" }, { status: "pending" }] }, rest: {} },
    undefined,
  ],
  [
    "a to-do item with a field named like the client's",
    { kind: "todo", fields: { items: [{ content: "a", step: "b" }] }, rest: {} },
    undefined,
  ],
  ["a glob pattern", { kind: "glob", fields: { pattern: "*" }, rest: {} }, undefined],
])("translates a common call to the client's call, if it can: %s", (_, common, to) => {
  expect(codexTools.write(common)).toEqual(to);
});
