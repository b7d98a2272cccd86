import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentOf, readAll } from "@pond/adapter-testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fromClaudeCode } from "./from-claude-code.ts";
import { claudeCodeRecordRules } from "./record-rules.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-claude-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What an agent was asked for whose log begins with this. */
async function askedOf(content: string): Promise<string | undefined> {
  mkdirSync(join(folder, "-w-app/s1/subagents"), { recursive: true });
  const row = { type: "user", uuid: "u", parentUuid: null, isSidechain: true, sessionId: "s1" };
  const place = { cwd: "/w/app", timestamp: "2026-03-01T09:00:00.000Z" };
  const record = { ...row, ...place, message: { role: "user", content } };
  const key = "-w-app/s1/subagents/agent-a1.jsonl";
  writeFileSync(join(folder, key), `${JSON.stringify(record)}\n`);
  const agent = contentOf(await readAll(fromClaudeCode(folder), key));
  return claudeCodeRecordRules.agentPrompt?.(agent);
}

const from = '<teammate-message teammate_id="team-lead" summary="Warp -> weft">';

it.each<[string, string, string]>([
  ["was sent several lines", "Warp it.\nThen weave.", "Warp it.\nThen weave."],
  ["was sent empty lines around its prompt", "\nWarp it.\n\n", "\nWarp it.\n\n"],
])("reads the prompt of a teammate that %s", async (_, sent, expected) => {
  expect(await askedOf(`${from}\n${sent}\n</teammate-message>`)).toBe(expected);
});

it("leaves a remark after a teammate's message out of its prompt", async () => {
  const remark = "This came from another Claude session - not typed.";
  expect(await askedOf(`${from}\nWarp it.\n</teammate-message>\n\n${remark}`)).toBe("Warp it.");
});

it.each([
  ["begins with plain text", "Warp it."],
  ["quotes a teammate message", `Explain:\n${from}\nWarp it.\n</teammate-message>`],
])("finds no teammate prompt in a log that %s", async (_, content) => {
  expect(await askedOf(content)).toBeUndefined();
});
