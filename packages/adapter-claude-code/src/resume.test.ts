import { join } from "node:path";
import { sampleLineage } from "@pond/adapter-testkit";
import { sessionFromWire } from "@pond/canonical";
import { expect, it } from "vitest";
import { claudeCodeResume, claudeCodeResumesInParent } from "./resume.ts";
import { toClaudeCode } from "./to-claude-code.ts";

const main = "5e551000-0000-4000-8000-000000000001";

function commandsOf(id: string, path: string): readonly (readonly string[])[] {
  const session = sessionFromWire({
    id,
    source_agent: "claude-code",
    created_at: "2026-03-01T09:00:00.000Z",
    project: "/w/app",
    options: {},
  });
  const files = [{ session: session.id, path: `projects/${path}`, content: [] }];
  return claudeCodeResume({ session, home: "/home/ada/.claude", files }).commands;
}

it("resumes a restored session by the id in its file name, in its working directory", () => {
  const lineage = sampleLineage();
  const { session } = lineage.root;
  const files = [...toClaudeCode.writeForeign(lineage, {})];

  const resume = claudeCodeResume({ session, home: "/home/ada/.claude", files });

  const [uuid] = /[0-9a-f-]{36}(?=\.jsonl$)/.exec(files[0]?.path ?? "") ?? [];
  expect(resume).toEqual({
    commands: [["claude", "--resume", uuid]],
    directory: "/home/ada/loom",
  });
});

it.each([
  ["a main session", main, `-w-app/${main}.jsonl`],
  ["a sub-agent", `${main}/subagents/agent-abc`, `-w-app/${main}/subagents/agent-abc.jsonl`],
  [
    "a workflow's agent",
    `${main}/subagents/workflows/wf_1/agent-abc`,
    `-w-app/${main}/subagents/workflows/wf_1/agent-abc.jsonl`,
  ],
  [
    "a sub-agent with a log in the old place",
    `${main}/subagents/agent-abc`,
    "-w-app/agent-abc.jsonl",
  ],
])("resumes %s by the main session, the only kind that the client accepts", (_, id, path) => {
  expect(commandsOf(id, path)).toEqual([["claude", "--resume", main]]);
});

it.each([
  ["a renamed session", "s1", "-w-app/s1.jsonl"],
  [
    "a sub-agent of a renamed session",
    "s1/subagents/agent-abc",
    "-w-app/s1/subagents/agent-abc.jsonl",
  ],
])("resumes %s by its file, because its name is no id that the client accepts", (_, id, path) => {
  const file = join("/home/ada/.claude", "projects", "-w-app", "s1.jsonl");

  expect(commandsOf(id, path)).toEqual([["claude", "--resume", file]]);
});

it.each([
  ["it was moved to last", "-w-new", "/w/new"],
  ["it began in, if its file lies in that directory's folder", "-w-app", "/w/app"],
])("resumes a session in the directory that %s", (_, folder, directory) => {
  const session = sessionFromWire({
    id: main,
    source_agent: "claude-code",
    created_at: "2026-03-01T09:00:00.000Z",
    project: "/w/app",
    options: {},
  });
  const rows = [
    { type: "relocated", relocatedCwd: "/w/old" },
    { type: "relocated", relocatedCwd: "/w/new" },
    { type: "relocated", relocatedCwd: "-w-new" },
    { type: "user", message: { content: '{"type":"relocated","relocatedCwd":"/w/typed"}' } },
  ];
  const content = [rows.map((row) => `${JSON.stringify(row)}\n`).join("")];
  const files = [{ session: session.id, path: `projects/${folder}/${main}.jsonl`, content }];

  const resume = claudeCodeResume({ session, home: "/home/ada/.claude", files });

  expect(resume.directory).toBe(directory);
});

it.each([
  ["the URL of a repository", "https://example.com/ada/loom.git"],
  ["an agent's name", "loom"],
  ["the name of a project folder", "-w-app"],
])("names no directory if the project is %s, and resumes the session by its file", (_, project) => {
  const lineage = sampleLineage();
  const session = { ...lineage.root.session, project };
  const files = [
    ...toClaudeCode.writeForeign({ ...lineage, root: { ...lineage.root, session } }, {}),
  ];

  expect(claudeCodeResume({ session, home: "/home/ada/.claude", files })).toEqual({
    commands: [["claude", "--resume", join("/home/ada/.claude", files[0]?.path ?? "")]],
  });
});

it("resumes a session in a Windows directory", () => {
  const { session } = sampleLineage().root;
  for (const project of ["C:\\loom", "\\\\host\\loom"]) {
    const given = { session: { ...session, project }, home: "/home/ada/.claude", files: [] };
    expect(claudeCodeResume(given).directory).toBe(project);
  }
});

it.each([
  ["a main session", `-w-app/${main}.jsonl`, false],
  ["a sub-agent", `-w-app/${main}/subagents/agent-abc.jsonl`, true],
  ["a sub-agent with a log in the old place", "-w-app/agent-abc.jsonl", true],
])("tells whether %s can be resumed only through its parent session", (_, path, expected) => {
  const { session } = sampleLineage().root;
  const options = { source: { path } };

  expect(claudeCodeResumesInParent({ session: { ...session, options }, messages: [] })).toBe(
    expected,
  );
});
