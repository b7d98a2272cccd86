import { existsSync, globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  contentOf,
  findSessions,
  firstDifference,
  jsonlRecords,
  lineagesOf,
  readAll,
  restoredFiles,
  sessionTexts,
  withFolder,
} from "@pond/adapter-testkit";
import { type ReadEvent, tryParseObject } from "@pond/canonical";
import { toPosixPath } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { fromClaudeCode } from "./from-claude-code.ts";
import { toClaudeCode } from "./to-claude-code.ts";

const corpus =
  process.env["POND_CORPUS"] ??
  fileURLToPath(new URL("../../../../shared/corpus", import.meta.url));
const isThere = existsSync(join(corpus, "claude-code"));
if (!isThere) console.log(`skipped: no corpus of real sessions at ${corpus} (set POND_CORPUS)`);

const folders = isThere
  ? ["claude-code/projects", ...globSync("{_growth,_fixtures}/claude-code", { cwd: corpus })]
  : ["a corpus, which is not here"];

describe.skipIf(!isThere).each(folders)("real sessions of %s", (folder) => {
  it("are restored record by record, in order, sidecars byte by byte (`adapter-native-restore-lossless`)", async () => {
    const projects = join(corpus, folder);
    const reader = fromClaudeCode(projects);
    const { sessions, faults } = await findSessions(reader);
    const events: (readonly ReadEvent[])[] = [];
    for (const { key } of sessions) events.push(await readAll(reader, key));
    const contents = events.map(contentOf);
    const restored = new Map(
      lineagesOf(contents).flatMap((lineage) => [
        ...restoredFiles(toClaudeCode.writeNative(lineage)),
      ]),
    );

    const wanted = new Map(
      globSync("**/*", { cwd: projects, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((file) => [`projects/${toPosixPath(relative(projects, file))}`, readFileSync(file)]),
    );
    expect(faults).toEqual([]);
    expect([...restored.keys()].sort()).toEqual([...wanted.keys()].sort());
    const [actual, expected] = [jsonlRecords(restored), jsonlRecords(wanted)];
    for (const [path, records] of expected) {
      const difference = firstDifference(records, actual.get(path) ?? null);
      expect(difference, path).toBeUndefined();
    }
    const lost = events.flat().filter(({ kind }) => kind === "fault" || kind === "pending");
    expect(lost.length).toBe(damagedLines(wanted));
    // Who syncs the restored files stores nothing new.
    const again = await withFolder(restored, (home) => sessionTexts(fromClaudeCode(home)));
    const texts = new Set(await sessionTexts(reader));
    expect(again.length).toBe(sessions.length);
    expect(again.filter((text) => !texts.has(text)).map((text) => text.slice(0, 200))).toEqual([]);
  });
});

/** How many lines are neither blank nor one JSON object. */
function damagedLines(files: ReadonlyMap<string, Buffer>): number {
  const lines = [...files].flatMap(([path, bytes]) =>
    path.endsWith(".jsonl") ? bytes.toString().split("\n") : [],
  );
  return lines.filter((line) => line.trim() !== "" && tryParseObject(line) === undefined).length;
}
