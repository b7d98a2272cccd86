import type { JsonObject } from "@pond/canonical";
import type { CommonCall } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { opencodeTools } from "./tools.ts";

it.each<[name: string, params: JsonObject, kind: string, fields: JsonObject, rest: JsonObject]>([
  ["bash", { command: "ls", workdir: "/a" }, "shell", { command: "ls", directory: "/a" }, {}],
  ["shell", { command: "ls", timeout: 5 }, "shell", { command: "ls", timeout_ms: 5 }, {}],
  ["read", { filePath: "a", limit: 2 }, "read", { path: "a", limit: 2 }, {}],
  ["read", { path: "a" }, "read", { path: "a" }, {}],
  ["write", { filePath: "a", content: "b" }, "write", { path: "a", content: "b" }, {}],
  [
    "edit",
    { filePath: "a", oldString: "b", newString: "c", replaceAll: true },
    "edit",
    { path: "a", old_text: "b", new_text: "c", replace_all: true },
    {},
  ],
  ["apply_patch", { patchText: "p" }, "patch", { patch: "p" }, {}],
  ["grep", { pattern: "p", include: "*.ts" }, "grep", { pattern: "p", glob: "*.ts" }, {}],
  ["glob", { pattern: "p", path: "a" }, "glob", { pattern: "p", path: "a" }, {}],
  ["list", { path: "a", ignore: ["b"] }, "list", { path: "a" }, { ignore: ["b"] }],
  ["webfetch", { url: "u", format: "text" }, "fetch", { url: "u" }, { format: "text" }],
  ["websearch", { query: "q" }, "web_search", { query: "q" }, {}],
  [
    "todowrite",
    { todos: [{ content: "a", status: "pending", priority: "low" }] },
    "todo",
    { items: [{ content: "a", status: "pending", priority: "low" }] },
    {},
  ],
  [
    "task",
    { prompt: "p", description: "d", subagent_type: "explore" },
    "agent",
    { prompt: "p", description: "d", agent: "explore" },
    {},
  ],
  ["subagent", { prompt: "p", agent: "explore" }, "agent", { prompt: "p", agent: "explore" }, {}],
])(
  "reads the tool %s %j as the common %s, and writes a call of 1.x that reads the same",
  (name, params, kind, fields, rest) => {
    const common = opencodeTools.read({ name, params });

    expect(common).toEqual({ kind, fields, rest });
    const written = common && opencodeTools.write(common);
    expect(written && opencodeTools.read(written)).toEqual(common);
  },
);

it("gives to-dos of other clients the priority that the list needs", () => {
  const call: CommonCall = {
    kind: "todo",
    fields: { items: [{ content: "a", status: "pending" }, "b"] },
    rest: { note: "c" },
  };

  expect(opencodeTools.write(call)).toEqual({
    name: "todowrite",
    params: { note: "c", todos: [{ content: "a", status: "pending", priority: "medium" }, "b"] },
  });
});

it.each([
  ["a tool of opencode's own", "skill", { name: "weave" }],
  ["a call without a required parameter", "read", { limit: 2 }],
  ["a call whose parameters are text", "bash", "ls"],
])("reads no common call from %s", (_, name, params) => {
  expect(opencodeTools.read({ name, params })).toBeUndefined();
});
