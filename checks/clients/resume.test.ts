import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapterNamed } from "@pond/adapters";
import { type JsonValue, jsonEqual } from "@pond/canonical";
import { restore, rootIds, writeFiles } from "@pond/sessions";
import { afterAll, expect, test } from "vitest";
import { installClaudeCode, resume } from "./claude-code.ts";
import { chosenSessions, once, storeHome } from "./stored-home.ts";

const temporary = mkdtempSync(join(tmpdir(), "pond-resume-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const binary = installClaudeCode();
if (binary === undefined) console.warn("skipped: Claude Code has no build for this platform");

/** Everything below a client's home through a store and out again. */
const restoredHome = once(async (home) => {
  const folder = mkdtempSync(join(temporary, "home-"));
  const sessions = await storeHome(home, temporary);
  for (const id of await rootIds(sessions)) {
    const { files } = await restore(sessions, id, adapterNamed("claude-code").to);
    await writeFiles(files, folder);
  }
  sessions.close();
  return folder;
});

test.skipIf(binary === undefined).each(chosenSessions(6))(
  "Claude Code resumes $session from pond exactly as from its own file",
  async ({ home, directory, session }) => {
    const copy = await restoredHome(home);

    const own = await resume(binary ?? "", join(home, "projects"), directory, session);
    const ours = await resume(binary ?? "", join(copy, "projects"), directory, session);

    expect(own.messages.length).toBeGreaterThan(1);
    expect(ours.result).toBe("stub-answer");
    expect(jsonEqual(ours.messages as JsonValue, own.messages as JsonValue)).toBe(true);
  },
);
