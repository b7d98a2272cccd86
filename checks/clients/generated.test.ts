import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type Message, partsOf } from "@pond/canonical";
import type { Origin } from "@pond/canonical/adapter";
import { loadLineage, rootIds } from "@pond/sessions";
import { afterAll, expect, test } from "vitest";
import { recordsOf } from "../e2e/compare.ts";
import { installClaudeCode } from "./claude-code.ts";
import { installCodex } from "./codex.ts";
import { generateClaudeCode } from "./generate-claude-code.ts";
import { generateCodex } from "./generate-codex.ts";
import { generateOpencode } from "./generate-opencode.ts";
import { generatePi } from "./generate-pi.ts";
import { type Generated, task } from "./generated.ts";
import { unknownRecords } from "./known-records.ts";
import { stubAnswer } from "./model-stub.ts";
import { comparable, installOpencode } from "./opencode.ts";
import { installOmp, installPi } from "./pi.ts";
import { contentsOf, restoreHome, type StoredHome, storeHome } from "./stored.ts";

const temporary = mkdtempSync(join(tmpdir(), "pond-generated-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const [claudeCode, codex, opencode, pi, omp] = [
  await installClaudeCode(),
  await installCodex(),
  await installOpencode(),
  await installPi(),
  await installOmp(),
];

type Generator = { readonly origin: Origin; readonly generate: () => Promise<Generated> };

/** Clients that keep a session in lines of a file. */
const lineClients: readonly Generator[] = [
  ...(claudeCode
    ? [{ origin: "claude-code", generate: () => generateClaudeCode(claudeCode) }]
    : []),
  ...(codex ? [{ origin: "codex", generate: () => generateCodex(codex) }] : []),
  ...[pi, omp].flatMap((client) =>
    client ? [{ origin: client.origin, generate: () => generatePi(client) }] : [],
  ),
];

test.each(lineClients)(
  "what the real $origin has just written is read whole, and comes back as it was",
  { timeout: 180_000 },
  async ({ origin, generate }) => {
    const generated = await generate();
    try {
      const stored = await storeHome(origin, generated.folder, temporary);

      await expectKnown(stored, generated);
      const restored = mkdtempSync(join(temporary, "home-"));
      await restoreHome(stored, restored);
      const files = globSync("{sessions,projects}/**/*.jsonl", { cwd: generated.folder });
      expect(files).toHaveLength(generated.sessions);
      expect(files.map((file) => recordsOf(join(restored, file)))).toEqual(
        files.map((file) => recordsOf(join(generated.folder, file))),
      );
    } finally {
      await generated.remove();
    }
  },
);

test.skipIf(opencode === undefined)(
  "what the real opencode keeps in its database is read beside it, and comes back as it exports it",
  { timeout: 180_000 },
  async () => {
    const generated = await generateOpencode(opencode ?? "");
    try {
      const stored = await storeHome("opencode", generated.folder, temporary);

      await expectKnown(stored, generated);
      const restored = mkdtempSync(join(temporary, "home-"));
      await restoreHome(stored, restored);
      const files = globSync("**/*.json", { cwd: restored });
      expect(files).toHaveLength(generated.sessions);
      for (const file of files) {
        const exported = await generated.exported(basename(file, ".json"));
        expect(recordsOf(join(restored, file)).map(comparable)).toEqual([comparable(exported)]);
      }
    } finally {
      await generated.remove();
    }
  },
);

/** Nothing faulty, nothing unfinished, nothing strange; what was typed counts as typed. */
async function expectKnown(
  stored: StoredHome,
  { typed, sessions, helpers }: Generated,
): Promise<void> {
  expect(stored.remarks).toEqual([]);
  const roots = await Promise.all(
    (await rootIds(stored.sessions)).map((id) => loadLineage(stored.sessions, id)),
  );
  const contents = roots.flatMap(contentsOf);
  expect(contents).toHaveLength(sessions);
  expect(contents.flatMap(({ messages }) => unknownRecords(stored.origin, messages))).toEqual([]);
  const main = contents.find(({ messages }) => said(messages, "user").includes(typed[2] ?? ""));
  expect(said(main?.messages ?? [], "user")).toEqual(typed);
  expect(new Set(said(main?.messages ?? [], "assistant"))).toEqual(new Set([stubAnswer]));
  // A sub-agent is told what to do by a model, which some clients count as typed.
  const told = contents.filter(({ messages }) =>
    messages.flatMap(partsOf).some((part) => part.type === "text" && part.text.includes(task)),
  );
  expect(told).toHaveLength(helpers);
}

/** The conversational texts of a role, in order. */
function said(messages: readonly Message[], role: Message["role"]): string[] {
  return messages
    .filter((message) => message.role === role)
    .flatMap(partsOf)
    .flatMap((part) =>
      part.type === "text" && part.provenance === "conversational" ? [part.text.trim()] : [],
    );
}
