import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { adapterNamed } from "@pond/adapters";
import { type JsonValue, jsonEqual } from "@pond/canonical";
import { createIngest, openSessions, restore, rootIds, writeFiles } from "@pond/sessions";
import { afterAll, expect, test } from "vitest";
import { corpusFolder } from "../corpus.ts";
import { installClaudeCode, resume } from "./claude-code.ts";

const temporary = mkdtempSync(join(tmpdir(), "pond-resume-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const binary = installClaudeCode();
if (binary === undefined) console.warn("skipped: Claude Code has no build for this platform");

const samples = resolve("fixtures/samples/claude-code");
const homes = [samples, corpusFolder("claude-code")].filter((home) => home !== undefined);

type Case = { readonly home: string; readonly directory: string; readonly session: string };

/** The sessions the client can name: its ids are UUIDs. */
const cases: Case[] = homes.flatMap((home) =>
  readdirSync(join(home, "projects")).flatMap((directory) =>
    readdirSync(join(home, "projects", directory)).flatMap((file): Case[] =>
      /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.jsonl$/.test(file)
        ? [{ home, directory, session: file.slice(0, -".jsonl".length) }]
        : [],
    ),
  ),
);
// Two seconds each: all of them on request, else ours and every sixth of the others.
const chosen = cases.filter(
  ({ home }, index) => process.env["POND_ALL"] || home === samples || index % 6 === 0,
);

/** Everything below a client's home through a store and out again. */
async function throughPond(home: string): Promise<string> {
  const folder = mkdtempSync(join(temporary, "home-"));
  const { from, to } = adapterNamed("claude-code");
  const sessions = await openSessions(join(folder, "store"), { mode: "write" });
  const ingest = createIngest(sessions, { host: "test", now: () => new Date(0) });
  const reader = from(home);
  for await (const source of reader.sessions()) {
    if (source.kind !== "source") continue;
    await ingest.session(reader.read(source.key), {
      seenBefore: false,
      isUnchanged: async () => true,
      onCommitted: () => undefined,
    });
  }
  await ingest.finish();
  for (const id of await rootIds(sessions)) {
    const { files } = await restore(sessions, id, to);
    await writeFiles(files, folder);
  }
  sessions.close();
  return folder;
}

const restored = new Map<string, Promise<string>>();
function restoredHome(home: string): Promise<string> {
  const known = restored.get(home) ?? throughPond(home);
  restored.set(home, known);
  return known;
}

test.skipIf(binary === undefined).each(chosen)(
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
