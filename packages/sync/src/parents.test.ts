import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getSession } from "@pond/sessions";
import { expect, it } from "vitest";
import { type Bench, changesIn, line, withBench } from "./sync.test-kit.ts";

const agentId = (name: string): string => `s1/subagents/agent-${name}`;

/** Writes the log of an agent, and the descriptor of one that another agent started. */
function writeAgent(bench: Bench, name: string, parentAgentId?: string): string {
  const folder = join(bench.folder, "home", ".claude", "projects", "-work", "s1", "subagents");
  mkdirSync(folder, { recursive: true });
  const log = join(folder, `agent-${name}.jsonl`);
  writeFileSync(log, `${line("s1", `row-${name}`, name)}\n`);
  if (parentAgentId === undefined) return log;
  const descriptor = JSON.stringify({ agentType: "weaver", parentAgentId });
  writeFileSync(join(folder, `agent-${name}.meta.json`), descriptor);
  return log;
}

async function parentOf({ sessions }: Bench, name: string): Promise<string | undefined> {
  const { session } = await getSession(sessions, agentId(name));
  return session.parent_session_id;
}

it("attaches a session to its parent when the parent's log comes later", () =>
  withBench(async (bench) => {
    bench.write("s1", line("s1", "a", "x"));
    writeAgent(bench, "below", "above");
    await bench.sync();
    expect(await parentOf(bench, "below")).toBe("s1");
    expect(changesIn(await bench.sync())).toEqual({
      sessions: { seen: 2, new: 0, grown: 0, unchanged: 2, pending: 0, failed: 0 },
    });

    writeAgent(bench, "above");
    const came = changesIn(await bench.sync());

    expect(came["sessions"]).toMatchObject({ seen: 3, new: 1, grown: 1 });
    expect(await parentOf(bench, "below")).toBe(agentId("above"));
  }));

it("does not read a session again when its parent grows", () =>
  withBench(async (bench) => {
    bench.write("s1", line("s1", "a", "x"));
    const above = writeAgent(bench, "above");
    writeAgent(bench, "below", "above");
    await bench.sync();

    const grown = `${line("s1", "more", "y")}\n`;
    appendFileSync(above, grown);
    const { adapters } = await bench.sync();

    expect(adapters[0]?.sessions).toMatchObject({ seen: 3, grown: 1, unchanged: 2 });
    expect(adapters[0]?.accounting.read).toBe(2);
  }));

it("keeps the parent of a session that grows after the parent's log is gone", () =>
  withBench(async (bench) => {
    bench.write("s1", line("s1", "a", "x"));
    const above = writeAgent(bench, "above");
    const below = writeAgent(bench, "below", "above");
    await bench.sync();

    rmSync(above);
    appendFileSync(below, `${line("s1", "more", "y")}\n`);
    await bench.sync();

    expect(await parentOf(bench, "below")).toBe(agentId("above"));
  }));
