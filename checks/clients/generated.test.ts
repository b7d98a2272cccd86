import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Origin } from "@pond/canonical/adapter";
import { afterAll, expect, test } from "vitest";
import { installClaudeCode } from "./claude-code.ts";
import { installCodex } from "./codex.ts";
import { examine } from "./examine.ts";
import { generateClaudeCode } from "./generate-claude-code.ts";
import { generateCodex } from "./generate-codex.ts";
import { generateOpencode } from "./generate-opencode.ts";
import { generatePi } from "./generate-pi.ts";
import type { Generated } from "./generated.ts";
import { installOpencode } from "./opencode.ts";
import { installOmp, installPi } from "./pi.ts";

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

const clients: readonly Generator[] = [
  ...(claudeCode
    ? [{ origin: "claude-code", generate: () => generateClaudeCode(claudeCode) }]
    : []),
  ...(codex ? [{ origin: "codex", generate: () => generateCodex(codex) }] : []),
  // The database is read while the client has it open.
  ...(opencode ? [{ origin: "opencode", generate: () => generateOpencode(opencode) }] : []),
  ...[pi, omp].flatMap((client) =>
    client ? [{ origin: client.origin, generate: () => generatePi(client) }] : [],
  ),
];

test.each(clients)(
  "sessions just written by the real $origin are read completely and restored unchanged",
  { timeout: 180_000 },
  async ({ origin, generate }) => {
    const generated = await generate();
    try {
      const { sessions, helpers, conversations, problems, notes } = await examine(
        origin,
        generated,
        temporary,
      );

      expect(problems).toEqual([]);
      expect(notes).toEqual([]);
      expect({ sessions, helpers }).toEqual({
        sessions: generated.sessions,
        helpers: generated.helpers,
      });
      expect(conversations).toContainEqual(generated.typed);
    } finally {
      await generated.remove();
    }
  },
);
