import { restoredFiles } from "@pond/adapter-testkit";
import { adapterNamed } from "@pond/adapters";
import { expect, test } from "vitest";
import { readFiles, writeForeignChild } from "./foreign-child.ts";
import { missingTexts, sessionTexts } from "./session-texts.ts";

// Claude Code knows a sub-agent only by its place, and the copy of one by its main session.
test.each([
  ["claude-code", "sub-agent", false],
  ["claude-code", "fork", false],
  ["codex", "sub-agent", true],
  ["codex", "fork", true],
  ["opencode", "sub-agent", true],
  ["opencode", "fork", false],
  ["pi", "sub-agent", true],
  ["pi", "fork", true],
  ["omp", "sub-agent", true],
  ["omp", "fork", true],
  ["phi-core", "sub-agent", true],
  ["phi-core", "fork", false],
])(
  "below a native session of %s, a translated %s names it as its parent: %s",
  async (origin, kind, isNamed) => {
    const client = adapterNamed(origin);
    const source = kind === "fork" ? { relation: "fork" } : {};

    const { parent, child, native, below, alone } = await writeForeignChild(client, source);

    const [copy, free] = await Promise.all(
      [below, alone].map(async (files) => {
        expect(client.problems?.(restoredFiles(files)) ?? []).toEqual([]);
        const found = await readFiles(client, restoredFiles([...native, ...files]));
        return found.find(({ session }) => session.id !== parent.session.id);
      }),
    );
    expect(copy?.session.parent_session_id).toBe(isNamed ? parent.session.id : undefined);
    expect(free?.session.parent_session_id).toBeUndefined();
    // The id shows that it is a copy.
    expect(copy?.session.id).toBe(free?.session.id);
    expect(copy && missingTexts(sessionTexts(copy), sessionTexts(child))).toEqual([]);
  },
);
