import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Home, line } from "../testing.ts";

const projects = ".claude/projects/-work";
const on = (day: string) => ({ timestamp: `2026-${day}T09:00:00.000Z` });

/** A home without its client's sessions, which pond has: their names do not say which was the last. */
async function homeWithout(): Promise<Home> {
  const home = new Home();
  onTestFinished(() => home.remove());
  home.writeSession("march", line("march", "m1", "begun", on("01-01")));
  home.writeSession(
    "agent",
    line("agent", "a1", "begun", on("01-02")),
    line("agent", "a2", "went on", on("04-02")),
  );
  home.write(
    `${projects}/agent/subagents/agent-7.jsonl`,
    `${line("agent", "b1", "served", { ...on("02-02"), agentId: "7", isSidechain: true })}\n`,
  );
  const forked = { forkedFrom: { sessionId: "march", messageUuid: "m1" } };
  home.writeSession(
    "fork",
    line("fork", "f1", "begun", { ...on("01-01"), ...forked }),
    line("fork", "f2", "went on", on("02-01")),
  );
  home.writeSession(
    "march",
    line("march", "m1", "begun", on("01-01")),
    line("march", "m2", "went on", on("03-01")),
  );
  home.writeSession("old", line("old", "o1", "alone", on("01-05")));
  await home.pond("sync", "-q");
  rmSync(join(home.folder, ".claude"), { recursive: true });
  return home;
}

/** Files of a folder, the last written first. */
function lastWritten(folder: string, names: readonly string[]): readonly string[] {
  const time = new Map(names.map((name) => [name, statSync(join(folder, name)).mtimeMs]));
  expect(new Set(time.values()).size).toBe(names.length);
  return names.toSorted((left, right) => (time.get(right) ?? 0) - (time.get(left) ?? 0));
}

const names = ["agent.jsonl", "agent/subagents/agent-7.jsonl", "fork.jsonl", "march.jsonl"];
const asActive = ["agent.jsonl", "agent/subagents/agent-7.jsonl", "march.jsonl", "fork.jsonl"];

it("pond restore --all writes sessions in the order of their last activity, which clients rely on", async () => {
  const home = await homeWithout();
  const began = Date.now();

  await home.pond("restore", "--all", "--install");

  const folder = join(home.folder, projects);
  expect(lastWritten(folder, [...names, "old.jsonl"])).toEqual([...asActive, "old.jsonl"]);
  // A client removes what was last written to long ago.
  expect(statSync(join(folder, "old.jsonl")).mtimeMs).toBeGreaterThanOrEqual(began);
});

it("pond restore writes named sessions, too, in the order of their last activity", async () => {
  const home = await homeWithout();

  await home.pond("restore", "agent", "march", "--out", join(home.folder, "out"));

  expect(lastWritten(join(home.folder, "out/projects/-work"), names)).toEqual(asActive);
});

it("pond restore gives back the readable sessions when another session cannot be read", async () => {
  const home = new Home();
  onTestFinished(() => home.remove());
  const data = join(home.folder, ".local/share/pond/default/messages.lance/data");
  home.writeSession("lost", line("lost", "l1", "gone"));
  await home.pond("sync", "-q");
  const files = readdirSync(data);
  home.writeSession("whole", line("whole", "m1", "kept"));
  await home.pond("sync", "-q");
  for (const name of files) rmSync(join(data, name));

  const { code } = await home.pond("restore", "--all", "--out", join(home.folder, "out"));

  expect(code).not.toBe(0);
  const folder = join(home.folder, "out/claude-code/projects/-work");
  expect(existsSync(join(folder, "whole.jsonl"))).toBe(true);
});
