import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { claudeCodeHomes, projectSlug, rootOf, sessionPath } from "./layout.ts";

it.each([
  ["/a/b.c_d", "-a-b-c-d"],
  ["D:\\x", "D--x"],
  ["/Users/é", "-Users--"],
  ["/Users/e\u0301", "-Users--"],
  ["/w/\u{1f600}", "-w---"],
  ["/Kept/Case-9", "-Kept-Case-9"],
  ["/a/b/", "-a-b"],
  ["/a/b//", "-a-b"],
  ["/a\\", "-a-"],
  ["/", "-"],
  ["//", "-"],
  ["D:\\x\\", "D--x"],
  ["D:/x/", "D--x"],
  ["D:\\", "D--"],
  ["", ""],
])("turns %j into the folder name the client gives it", (cwd, slug) => {
  expect(projectSlug(cwd)).toBe(slug);
});

it("shortens long folder names and keeps two of them distinct", () => {
  const [one, other] = [`/${"a".repeat(300)}/b`, `/${"a".repeat(300)}/c`].map(projectSlug);

  expect(one).toMatch(/^-a{199}-[0-9a-z]{1,7}$/);
  expect(other).not.toBe(one);
});

it("finds the client's homes by the environment or in the user's folder", () => {
  const home = mkdtempSync(join(tmpdir(), "pond-home-"));
  try {
    expect(claudeCodeHomes({ home, env: {} })).toEqual([join(home, ".claude")]);
    expect(claudeCodeHomes({ home, env: { CLAUDE_CONFIG_DIR: "/x/y" } })).toEqual(["/x/y"]);
    expect(claudeCodeHomes({ home, env: { CLAUDE_CONFIG_DIR: "" } })).toEqual([
      join(home, ".claude"),
    ]);

    const second = join(home, ".config", "claude");
    mkdirSync(second, { recursive: true });

    expect(claudeCodeHomes({ home, env: {} })).toEqual([join(home, ".claude"), second]);
    expect(claudeCodeHomes({ home, env: { CLAUDE_CONFIG_DIR: second } })).toEqual([second]);
  } finally {
    rmSync(home, { recursive: true });
  }
});

it.each([
  ["a home", "/h/.claude", true, ["projects", "todos"], { projects: "/h/.claude/projects" }],
  [
    "a home without sessions",
    "/h/.claude",
    true,
    ["history.jsonl", "plugins"],
    { projects: "/h/.claude/projects" },
  ],
  [
    "a home that holds only folders of other tools",
    "/h/.claude",
    true,
    ["metrics", "transcripts"],
    { projects: "/h/.claude/projects" },
  ],
  [
    "a home at .config/claude",
    "/h/.config/claude",
    true,
    ["x.jsonl"],
    { projects: "/h/.config/claude/projects" },
  ],
  ["a projects folder named claude", "/h/claude", true, ["-a"], { projects: "/h/claude" }],
  [
    "a project folder named .claude",
    "/b/.claude",
    true,
    ["5b716bbc-6e5a-4e9c-912b-5e6ed8e1e290.jsonl"],
    { projects: "/b", slug: ".claude" },
  ],
  ["a projects folder named .claude", "/b/.claude", true, ["-a"], { projects: "/b/.claude" }],
  ["a projects folder", "/h/p", true, ["-a", "-b"], { projects: "/h/p" }],
  ["a project folder", "/h/p/-a", true, ["s.jsonl", "s"], { projects: "/h/p", slug: "-a" }],
  ["a session's file", "/h/p/-a/s.jsonl", false, [], { projects: "/h/p", key: "-a/s.jsonl" }],
  [
    "a sub-agent's file",
    "/h/p/-a/s/subagents/agent-1.jsonl",
    false,
    [],
    { projects: "/h/p", key: "-a/s/subagents/agent-1.jsonl" },
  ],
  [
    "a workflow agent's file",
    "/h/p/-a/s/subagents/workflows/wf_1/agent-1.jsonl",
    false,
    [],
    { projects: "/h/p", key: "-a/s/subagents/workflows/wf_1/agent-1.jsonl" },
  ],
  [
    "a sub-agent's file moved out of its session's folder",
    "/h/p/-a/subagents/agent-1.jsonl",
    false,
    [],
    { projects: "/h/p", key: "-a/subagents/agent-1.jsonl" },
  ],
])("recognizes %s by its path and contents", (_, path, isFolder, names, root) => {
  expect(rootOf(path, isFolder, names)).toEqual(root);
});

it.each([
  ["-a/s.jsonl", { slug: "-a", name: "s", isOldAgent: false }],
  ["-a/agent-1.jsonl", { slug: "-a", name: "agent-1", isOldAgent: true }],
  [
    "-a/s/subagents/agent-1.jsonl",
    { slug: "-a", name: "s/subagents/agent-1", root: "s", isOldAgent: false },
  ],
  ["-a/subagents/agent-1.jsonl", { slug: "-a", name: "subagents/agent-1", isOldAgent: true }],
  ["s.jsonl", undefined],
  ["-a/../s.jsonl", undefined],
  ["../-a/s.jsonl", undefined],
  ["-a//s.jsonl", undefined],
  ["", undefined],
])("parses the session key %j, or refuses it (`adapter-integrity-opaque-ids`)", (key, path) => {
  expect(sessionPath(key)).toEqual(path);
});
