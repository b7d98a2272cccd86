import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { adapterNamed } from "@pond/adapters";
import { partsOf, stringifyJson } from "@pond/canonical";
import type { Lineage, SessionContent } from "@pond/canonical/adapter";
import { loadLineage, writeFiles } from "@pond/sessions";
import { afterAll, expect, test } from "vitest";
import { installClaudeCode, resume } from "./claude-code.ts";
import { chosenSessions, once, storeHome } from "./stored-home.ts";

const temporary = mkdtempSync(join(tmpdir(), "pond-foreign-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const binary = installClaudeCode();
const store = once((home) => storeHome(home, temporary));

/** What the session would be had another client recorded it. */
function asForeign({ root, descendants }: Lineage): Lineage {
  const relabel = ({ session, messages }: SessionContent): SessionContent => ({
    session: { ...session, source_agent: "another-client" },
    messages,
  });
  return { root: relabel(root), descendants: descendants.map(relabel) };
}

/** Texts said, and calls made, by people and models. */
function said({ root }: Lineage): string[] {
  return root.messages.flatMap((message) =>
    partsOf(message).flatMap((part) => {
      if (part.provenance !== "conversational") return [];
      if (part.type === "text") return part.text.trim() === "" ? [] : [part.text.trim()];
      return part.type === "tool_call" ? [part.call_id] : [];
    }),
  );
}

test.skipIf(binary === undefined).each(chosenSessions(12))(
  "Claude Code resumes $session with all that was said, as if of another client",
  async ({ home, session }) => {
    const lineage = asForeign(await loadLineage(await store(home), session));
    const folder = mkdtempSync(join(temporary, "home-"));
    const files = [...adapterNamed("claude-code").to.writeForeign(lineage)];
    await writeFiles(files, folder);
    const { path = "" } = files[0] ?? {};

    const directory = basename(dirname(path));
    const id = basename(path, ".jsonl");
    const { messages, result } = await resume(
      binary ?? "",
      join(folder, "projects"),
      directory,
      id,
    );

    expect(result).toBe("stub-answer");
    const log = JSON.stringify(messages);
    const heard = (text: string): boolean => log.includes(stringifyJson(text).slice(1, -1));
    expect(said(lineage).filter((text) => !heard(text))).toEqual([]);
  },
);
