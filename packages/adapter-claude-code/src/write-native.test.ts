import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  contentOf,
  lineagesOf,
  readAll,
  readFolder,
  readSource,
  restoredFiles,
  sessionTexts,
  withFolder,
  withReversedKeys,
} from "@pond/adapter-testkit";
import type { SessionContent } from "@pond/canonical/adapter";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fromClaudeCode } from "./from-claude-code.ts";
import { writeNative } from "./write-native.ts";

let projects: string;
beforeEach(() => {
  projects = mkdtempSync(join(tmpdir(), "pond-claude-"));
});
afterEach(() => rmSync(projects, { recursive: true, force: true }));

const main = "5e551000-0000-4000-8000-000000000001";

function put(path: string, text: string): void {
  const file = join(projects, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Puts a log of one record, and reads it. */
async function session(path: string, record: object = {}): Promise<SessionContent> {
  const row = { type: "x", sessionId: main, cwd: "/w/app", timestamp: "2026-03-01T09:00:00.000Z" };
  put(path, `${JSON.stringify({ ...row, ...record })}\n`);
  return contentOf(await readAll(fromClaudeCode(projects), path));
}

/** Paths below `projects`, of every lineage these sessions make. */
function written(...contents: SessionContent[]): readonly string[] {
  return lineagesOf(contents)
    .flatMap((lineage) => [...restoredFiles(writeNative(lineage)).keys()])
    .map((path) => path.replace(/^projects\//, ""));
}

it("writes a descriptor that session and agent both hold once, in the agent's version", async () => {
  const agent = `-w-app/${main}/subagents/agent-abc`;
  put(`${agent}.meta.json`, "of the session, before the agent wrote its log");
  const before = await session(`-w-app/${main}.jsonl`);
  put(`${agent}.meta.json`, "of the agent");
  const contents = [before, await session(`${agent}.jsonl`, { isSidechain: true })];

  const [lineage] = lineagesOf(contents);
  const files = lineage ? [...writeNative(lineage)] : [];

  expect(files.map(({ path }) => path)).toEqual([
    `projects/-w-app/${main}.jsonl`,
    `projects/${agent}.jsonl`,
    `projects/${agent}.meta.json`,
  ]);
  const descriptor = restoredFiles(files).get(`projects/${agent}.meta.json`);
  expect(Buffer.from(descriptor ?? []).toString()).toBe("of the agent");
});

it("restores a session that was read from a backup to where the client looks for it", async () => {
  put(`backup/${main}/tool-results/t.txt`, "");
  put(`backup/${main}/subagents/agent-abc.meta.json`, "{}");
  const contents = [
    await session(`backup/${main}.jsonl`),
    await session(`backup/${main}/subagents/agent-abc.jsonl`, { cwd: "/w/tree" }),
    await session("backup/agent-0a1b2c3d.jsonl", { cwd: "/w/tree" }),
  ];

  expect(written(...contents)).toEqual([
    `-w-app/${main}.jsonl`,
    `-w-app/${main}/tool-results/t.txt`,
    `-w-app/${main}/subagents/agent-abc.jsonl`,
    `-w-app/${main}/subagents/agent-abc.meta.json`,
    "-w-app/agent-0a1b2c3d.jsonl",
  ]);
  expect(written(...contents.slice(1, 2))).toEqual([
    `-w-tree/${main}/subagents/agent-abc.jsonl`,
    `-w-tree/${main}/subagents/agent-abc.meta.json`,
  ]);
});

it.each([
  ["of another working directory", `-w-renamed/${main}.jsonl`, "/w/app"],
  ["of a drive", `D--app/${main}.jsonl`, "/w/app"],
  ["of a relative working directory", `app-1/${main}.jsonl`, "app.1"],
  ["of a log that the client finds in no folder", "backup/first.jsonl", "/w/app"],
])("keeps the folder %s on restore", async (_, path, cwd) => {
  expect(written(await session(path, { cwd }))).toEqual([path]);
});

it.each(["content-shapes", "tool-results", "metadata", "odd-records", "injected-text"])(
  "restores the fixture %s with the same ids, whatever the order of its keys",
  async (name) => {
    const folder = fileURLToPath(
      new URL(`../../../fixtures/claude-code/${name}/input`, import.meta.url),
    );
    const files = withReversedKeys(await readFolder(folder));

    const read = await withFolder(files, (home) => readSource(fromClaudeCode(home)));
    const restored = lineagesOf([...read.values()].map(contentOf)).flatMap((lineage) => [
      ...writeNative(lineage),
    ]);
    const again = await withFolder(restoredFiles(restored), (home) =>
      sessionTexts(fromClaudeCode(home)),
    );

    expect(again).toEqual(await withFolder(files, (home) => sessionTexts(fromClaudeCode(home))));
  },
);

it("restores rows without ids so that reading them again gives the same ids", async () => {
  const rows = [
    { message: { role: "user", content: "Why does the loom skip?" }, type: "user" },
    {
      type: "assistant",
      timestamp: "2026-03-01T09:00:01.000Z",
      message: {
        id: "m",
        content: [{ input: {}, name: "Bash", id: "t", type: "tool_use" }],
        role: "assistant",
      },
    },
    {
      type: "user",
      message: {
        content: [{ content: "bent", tool_use_id: "t", type: "tool_result" }],
        role: "user",
      },
      timestamp: "2026-03-01T09:00:02.000Z",
    },
    { content: "a note", type: "system", subtype: "note" },
  ];
  put(
    `-w-app/${main}.jsonl`,
    rows
      .map(
        (row) =>
          `${JSON.stringify({ cwd: "/w/app", timestamp: "2026-03-01T09:00:00.000Z", ...row, sessionId: main })}\n`,
      )
      .join(""),
  );
  const before = await sessionTexts(fromClaudeCode(projects));
  const contents = [...(await readSource(fromClaudeCode(projects))).values()].map(contentOf);

  const files = lineagesOf(contents).flatMap((lineage) => [...writeNative(lineage)]);

  expect(
    await withFolder(restoredFiles(files), (home) => sessionTexts(fromClaudeCode(home))),
  ).toEqual(before);
});
