// Alone: measures memory.
import type { Session } from "@pond/canonical";
import { expect, it } from "vitest";
import { memoryUsed } from "../../../../checks/memory-used.ts";
import type { SessionStore } from "../session-store.ts";
import { ParentLinks } from "./parent-links.ts";
import { SessionNames } from "./session-names.ts";

it("parent links take less than 100 bytes for each of many sub-agents", async () => {
  const count = 100_000;
  const sessions = {} as SessionStore;
  const commit = async (): Promise<void> => undefined;
  const names = new SessionNames(sessions, { shouldQualifyIds: true, commit });
  const links = new ParentLinks(sessions.store, names);
  for (let at = 0; at < count; at++) names.add(agent(at));
  const before = await memoryUsed();

  for (let at = 0; at < count; at++) links.add(agent(at), agent(at));
  const bytes = (await memoryUsed()) - before;

  expect(names.at(count - 1)?.id).toBe(agent(count - 1).id);
  expect(links).toBeDefined();
  expect(bytes / count).toBeLessThan(100);
});

function agent(at: number): Session {
  const parent = `00000000-0000-4000-8000-${`${at % 400}`.padStart(12, "0")}`;
  const id = `${parent}/subagents/agent-a${`${at}`.padStart(7, "0")}`;
  const labels = { source_agent: "claude-code", project: "/home/ada/loom" };
  return { id, parent_session_id: parent, ...labels, created_at: 1n, options: {} } as Session;
}
