import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentOf, findSessions, readAll } from "@pond/adapter-testkit";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fromClaudeCode } from "./from-claude-code.ts";

vi.mock("node:fs", async (load) => {
  const fs = await load<typeof import("node:fs")>();
  return { ...fs, readFileSync: vi.fn(fs.readFileSync) };
});

let projects: string;
let folder: string;
beforeEach(() => {
  projects = mkdtempSync(join(tmpdir(), "pond-claude-"));
  folder = join(projects, "-w-app", "s1", "subagents");
  mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(projects, { recursive: true, force: true }));

function putAgent(name: string, parentAgentId?: string): void {
  const row = { type: "x", cwd: "/w/app", timestamp: "2026-03-01T09:00:00.000Z" };
  writeFileSync(join(folder, `agent-${name}.jsonl`), `${JSON.stringify(row)}\n`);
  const descriptor = JSON.stringify({ agentType: "weaver", parentAgentId });
  writeFileSync(join(folder, `agent-${name}.meta.json`), descriptor);
}

const keyOf = (name: string): string => `-w-app/s1/subagents/agent-${name}.jsonl`;

it("reads no more than two descriptors for each agent in a chain of nested agents", async () => {
  const names = Array.from({ length: 30 }, (_, at) => `a${at}`);
  for (const [at, name] of names.entries()) putAgent(name, names[at - 1]);
  const reader = fromClaudeCode(projects);
  vi.mocked(readFileSync).mockClear();

  const parents: unknown[] = [];
  for (const name of names) {
    const { session } = contentOf(await readAll(reader, keyOf(name)));
    parents.push(session.parent_session_id);
  }

  const above = names.slice(0, -1).map((name) => `s1/subagents/agent-${name}`);
  expect(parents).toEqual(["s1", ...above]);
  const read = vi.mocked(readFileSync).mock.calls.map(([file]) => String(file));
  const descriptors = read.filter((file) => file.endsWith(".meta.json"));
  // Of each, whose agent it names and what it holds.
  expect(descriptors.length).toBeLessThanOrEqual(2 * names.length);
});

it("sees a changed descriptor above an agent after the next listing", async () => {
  putAgent("a1");
  putAgent("a2", "a1");
  const reader = fromClaudeCode(projects);
  await readAll(reader, keyOf("a2"));

  putAgent("a1", "a2");
  await findSessions(reader);
  const { session } = contentOf(await readAll(reader, keyOf("a2")));

  expect(session.parent_session_id).toBe("s1");
});
