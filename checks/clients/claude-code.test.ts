import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { sampleLineage } from "@pond/adapter-testkit";
import { afterAll, describe, expect, test } from "vitest";
import { installClaudeCode, resumeClaudeCode } from "./claude-code.ts";
import { missingFromHistory } from "./missing-from-history.ts";
import { historyFromMessages } from "./model-history.ts";
import { stubAnswer } from "./model-stub.ts";
import { chosenSources, foreignTo } from "./sources.ts";
import { lineageOf, once, restoreForeign, restoreHome, storeHome } from "./stored.ts";

const origin = "claude-code";
const temporary = mkdtempSync(join(tmpdir(), "pond-claude-code-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const binary = (await installClaudeCode()) ?? "";

/** Main sessions: the client resumes no other. */
const named = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$/;
const own = (await chosenSources(origin, 5)).filter(({ key }) => named.test(basename(key)));

const restoredHome = once(async (home) => {
  const folder = mkdtempSync(join(temporary, "home-"));
  await restoreHome(await storeHome(origin, home, temporary), folder);
  return folder;
});

test.skipIf(binary === "").each(own)(
  "Claude Code resumes $key from pond exactly as from its own file",
  { timeout: 120_000 },
  async ({ home, key }) => {
    const copy = await restoredHome(home);
    const place = [basename(dirname(key)), basename(key, ".jsonl")] as const;

    const before = await resumeClaudeCode(binary, home, ...place);
    const after = await resumeClaudeCode(binary, copy, ...place);

    expect(before.history.length).toBeGreaterThan(1);
    expect(after).toEqual({ ...before, answer: stubAnswer });
  },
);

test.skipIf(binary === "").each([
  ["claude-opus-4-6", true],
  ["claude-opus-4.6", false],
])(
  "Claude Code, resuming a session of the model %s, asks that model: %s",
  { timeout: 120_000 },
  async (model, isAsked) => {
    const { session, messages } = sampleLineage().root;
    const answered = messages.map((message) => ({ ...message, options: { source: { model } } }));
    const folder = mkdtempSync(join(temporary, "home-"));
    const root = { session, messages: answered };
    const [file] = await restoreForeign({ root, descendants: [] }, origin, folder);
    const path = file?.path ?? "";

    const { models } = await resumeClaudeCode(
      binary,
      folder,
      basename(dirname(path)),
      basename(path, ".jsonl"),
    );

    expect(models).not.toEqual([]);
    expect(models.includes(model)).toBe(isAsked);
  },
);

describe.each(foreignTo(origin))("given sessions of %s", { timeout: 120_000 }, async (foreign) => {
  const store = once((home) => storeHome(foreign, home, temporary));

  test.skipIf(binary === "").each(await chosenSources(foreign, 2))(
    "Claude Code resumes $key with all its messages, tool calls and results",
    async ({ home, key }) => {
      const lineage = await lineageOf(await store(home), key);
      const folder = mkdtempSync(join(temporary, "home-"));
      const [file] = await restoreForeign(lineage, origin, folder);
      const path = file?.path ?? "";

      const { history, answer } = await resumeClaudeCode(
        binary,
        folder,
        basename(dirname(path)),
        basename(path, ".jsonl"),
      );

      expect(answer).toBe(stubAnswer);
      expect(missingFromHistory(lineage.root, historyFromMessages(history), origin)).toEqual([]);
    },
  );
});
