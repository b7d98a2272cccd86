// Alone: measures memory.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { memoryUsed } from "../../../checks/memory-used.ts";
import { AgentParents } from "./agent-parents.ts";
import { fromClaudeCode } from "./from-claude-code.ts";

it("takes less than 300 bytes for each agent of a session while it lists them", async () => {
  const count = 10_000;
  const home = mkdtempSync(join(tmpdir(), "pond-claude-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const agents = join(home, "projects/-work/s1/subagents");
  mkdirSync(agents, { recursive: true });
  for (let agent = 0; agent < count; agent++) {
    writeFileSync(join(agents, nameOf(agent)), "");
    writeFileSync(join(agents, nameOf(agent).replace(".jsonl", ".meta.json")), "");
  }
  const before = await memoryUsed();

  let listed = 0;
  let bytes = 0;
  for await (const _ of fromClaudeCode(home).sessions()) {
    listed += 1;
    if (listed === 1) bytes = (await memoryUsed()) - before;
  }

  expect(listed).toBe(count);
  expect(bytes / count).toBeLessThan(300);
});

it("remembers nothing of the agents of sessions before", async () => {
  const [sessions, agents] = [200, 100];
  const parents = new AgentParents();
  const before = await memoryUsed();

  for (let session = 0; session < sessions; session++) {
    for (let agent = 0; agent < agents; agent++) parents.of(logOf(session, agent));
  }
  const bytes = (await memoryUsed()) - before;

  expect(bytes / (sessions * agents)).toBeLessThan(50);
  expect(parents.of(logOf(0, 0))).toEqual({ isGone: false });
});

function logOf(session: number, agent: number): string {
  const id = `${session}`.padStart(12, "0");
  return `/home/ada/.claude/projects/-work/${id}/subagents/${nameOf(agent)}`;
}

function nameOf(agent: number): string {
  return `agent-${`${agent}`.padStart(8, "0")}.jsonl`;
}
