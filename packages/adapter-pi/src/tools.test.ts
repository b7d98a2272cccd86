import type { ClientCall, CommonCall, Tools } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { ompTools, piTools } from "./tools.ts";

type Row = readonly [tools: Tools, call: ClientCall, common: CommonCall];

const row = (
  tools: Tools,
  name: string,
  params: ClientCall["params"],
  kind: CommonCall["kind"],
  fields: CommonCall["fields"],
  rest: CommonCall["rest"] = {},
): Row => [tools, { name, params }, { kind, fields, rest }];

const edit = { path: "a", old_text: "x", new_text: "y" };

const both: readonly Row[] = [
  row(piTools, "bash", { command: "ls" }, "shell", { command: "ls" }),
  row(piTools, "bash", { command: "ls", timeout: 1.5 }, "shell", {
    command: "ls",
    timeout_ms: 1500,
  }),
  row(piTools, "read", { path: "a", offset: 2, limit: 3 }, "read", {
    path: "a",
    offset: 2,
    limit: 3,
  }),
  row(piTools, "write", { path: "a", content: "b" }, "write", { path: "a", content: "b" }),
  row(piTools, "edit", { path: "a", edits: [{ oldText: "x", newText: "y" }] }, "edit", edit),
  row(
    piTools,
    "grep",
    { pattern: "x", path: "a", glob: "*", ignoreCase: true, context: 2 },
    "grep",
    { pattern: "x", path: "a", glob: "*", ignore_case: true },
    { context: 2 },
  ),
  row(piTools, "find", { pattern: "*" }, "glob", { pattern: "*" }),
  row(piTools, "ls", {}, "list", {}),
  row(ompTools, "bash", { command: "ls", cwd: "/w" }, "shell", { command: "ls", directory: "/w" }),
  row(ompTools, "read", { path: "a" }, "read", { path: "a" }),
  row(ompTools, "edit", { path: "a", old_string: "x", new_string: "y" }, "edit", edit),
  row(ompTools, "apply_patch", { input: "p" }, "patch", { patch: "p" }),
  row(ompTools, "grep", { pattern: "x" }, "grep", { pattern: "x" }),
  row(ompTools, "web_search", { query: "q" }, "web_search", { query: "q" }),
  row(ompTools, "fetch", { url: "u" }, "fetch", { url: "u" }),
  row(ompTools, "task", { task: "t", name: "N", agent: "scout" }, "agent", {
    prompt: "t",
    description: "N",
    agent: "scout",
  }),
];

describe("the tools of pi and omp", () => {
  it.each(both)(
    "read call %# as a common call and write it back the same",
    (tools, call, common) => {
      expect(tools.read(call)).toEqual(common);
      expect(tools.write(common)).toEqual(call);
    },
  );

  it.each([
    row(piTools, "edit", { path: "a", oldText: "x", newText: "y" }, "edit", edit),
    row(ompTools, "edit", { path: "a", oldText: "x", newText: "y" }, "edit", edit),
    row(ompTools, "edit", { input: "p" }, "patch", { patch: "p" }),
    row(ompTools, "read", { path: "https://example.com/" }, "fetch", {
      url: "https://example.com/",
    }),
    row(ompTools, "search", { pattern: "x" }, "grep", { pattern: "x" }),
    row(ompTools, "glob", { path: "*.ts", limit: 3 }, "glob", { pattern: "*.ts" }, { limit: 3 }),
    row(ompTools, "find", { pattern: "*" }, "glob", { pattern: "*" }),
    row(ompTools, "todo", { op: "init", list: [{ phase: "p", items: ["a", "b"] }] }, "todo", {
      items: [
        { content: "a", status: "pending" },
        { content: "b", status: "pending" },
      ],
    }),
  ])("read call %# of an older or wider form as a common call", (tools, call, common) => {
    expect(tools.read(call)).toEqual(common);
  });

  it.each<[Tools, ClientCall]>([
    [piTools, { name: "bash", params: "ls" }],
    [piTools, { name: "bash", params: { command: 1 } }],
    [piTools, { name: "edit", params: { path: "a", edits: [{ oldText: "x", newText: "y" }, {}] } }],
    [piTools, { name: "constructor", params: {} }],
    [ompTools, { name: "todo", params: { op: "done", task: "a" } }],
    [ompTools, { name: "task", params: { context: "c", tasks: [] } }],
  ])("read no common call from call %#", (tools, call) => {
    expect(tools.read(call)).toBeUndefined();
  });
});

it("writes fields that a client has no word for under their own names", () => {
  const fields = { ...edit, replace_all: true };
  const write = (tools: Tools) => tools.write({ kind: "edit", fields, rest: { why: "z" } })?.params;

  expect(write(piTools)).toEqual({
    path: "a",
    edits: [{ oldText: "x", newText: "y" }],
    replace_all: true,
    why: "z",
  });
  expect(write(ompTools)).toEqual({
    path: "a",
    old_string: "x",
    new_string: "y",
    replace_all: true,
    why: "z",
  });
  expect(piTools.write({ kind: "agent", fields: { prompt: "p" }, rest: {} })).toBeUndefined();
});

it("keeps the states of to-dos beside the items that omp takes", () => {
  const items = [{ content: "a", status: "done" }];

  expect(ompTools.write({ kind: "todo", fields: { items }, rest: {} })).toEqual({
    name: "todo",
    params: { op: "init", items: ["a"], original_items: items },
  });
});
