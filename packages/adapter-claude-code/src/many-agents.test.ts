// Alone: measures memory.
import { collectGarbage } from "@pond/canonical/adapter";
import { expect, it } from "vitest";
import { AgentParents } from "./agent-parents.ts";

it("remembers nothing of the agents of sessions before", () => {
  const [sessions, agents] = [200, 100];
  const parents = new AgentParents();
  const before = heapUsed();

  for (let session = 0; session < sessions; session++) {
    for (let agent = 0; agent < agents; agent++) parents.of(logOf(session, agent));
  }
  const bytes = heapUsed() - before;

  expect(bytes / (sessions * agents)).toBeLessThan(50);
  expect(parents.of(logOf(0, 0))).toEqual({ isGone: false });
});

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function logOf(session: number, agent: number): string {
  const folder = `/home/ada/.claude/projects/-work/${`${session}`.padStart(12, "0")}/subagents`;
  return `${folder}/agent-${`${agent}`.padStart(8, "0")}.jsonl`;
}
