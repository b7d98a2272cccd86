import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  contentOf,
  eventText,
  findSessions,
  firstDifference,
  jsonlRecords,
  readAll,
  readFolder,
  restoredFiles,
  sessionTexts,
  withFolder,
} from "@pond/adapter-testkit";
import type { ReadEvent } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { fromCodex } from "./from-codex.ts";
import { toCodex } from "./to-codex.ts";

const corpus =
  process.env["POND_CORPUS"] ??
  fileURLToPath(new URL("../../../../shared/corpus", import.meta.url));
const isThere = existsSync(join(corpus, "codex"));
if (!isThere) console.log(`skipped: no corpus of real sessions at ${corpus} (set POND_CORPUS)`);

const folders = ["codex/sessions", "_fixtures/codex", "_growth/codex"];

describe.skipIf(!isThere).each(folders)("real sessions of %s", (folder) => {
  it("are restored record by record, in order (`adapter-native-restore-lossless`)", async () => {
    const reader = fromCodex(join(corpus, folder));
    const { sessions, faults } = await findSessions(reader);
    const wanted = new Map(
      [...(await readFolder(join(corpus, folder)))].map(([path, bytes]) => [
        `sessions/${path}`,
        bytes,
      ]),
    );

    const records = jsonlRecords(wanted);
    expect(faults).toEqual([]);
    expect(sessions.map(({ key }) => key)).toEqual([...wanted.keys()].sort());
    for (const { key } of sessions) {
      const events = await readAll(reader, key);
      const lost = events.filter(({ kind }) => kind === "fault" || kind === "pending");
      const own = records.get(key) ?? [];
      // What no session could be made of is reported once for the whole file.
      if (!events.some(({ kind }) => kind === "session")) {
        expect(reasons(events), key).toEqual([expect.stringContaining("not ingested")]);
        continue;
      }
      const restored = restoredFiles(
        toCodex.writeNative({ root: contentOf(events), descendants: [] }),
      );

      expect([...restored.keys()]).toEqual([key]);
      const difference = firstDifference(own, jsonlRecords(restored).get(key) ?? null);
      expect(difference, key).toBeUndefined();
      const again = await withFolder(restored, (home) => sessionTexts(fromCodex(home)));
      const kept = events.filter(({ kind }) => kind !== "fault" && kind !== "pending");
      // Who syncs the restored file stores nothing new.
      expect(again.join("") === kept.map(eventText).join("\n"), key).toBe(true);
      expect(lost.length, key).toBe(lineCount(wanted.get(key)) - own.length);
    }
  });
});

const growth = join(corpus, "_growth/codex");
const series = isThere ? readdirSync(growth) : [];

it.skipIf(!isThere).each(series)(
  "keeps the rows of the growing thread %s except for changed lines (`adapter-integrity-additive-sync`)",
  async (id) => {
    let known: State = { lines: [], rows: [] };
    for (const name of readdirSync(join(growth, id)).sort()) {
      const state = await stateOf(join(growth, id, name));
      const [lines, rows] = [new Set(state.lines), new Set(state.rows)];
      const changed = known.lines.filter((line) => !lines.has(line));

      // The last of a state may still have been being written; a carrier has a row, others two.
      const lost = known.rows.filter((row) => !rows.has(row));
      expect(lost.length).toBeLessThanOrEqual(2 * changed.length);
      expect(rows.size).toBeGreaterThan(known.rows.length);
      known = state;
    }
  },
);

type State = { readonly lines: readonly string[]; readonly rows: readonly string[] };

async function stateOf(file: string): Promise<State> {
  const reader = fromCodex(file);
  const [source] = (await findSessions(reader)).sessions;
  const events = await readAll(reader, source?.key ?? "");
  const rows = events.filter(({ kind }) => kind === "message" || kind === "part").map(eventText);
  return { lines: readFileSync(file, "utf8").split("\n"), rows };
}

function reasons(events: readonly ReadEvent[]): string[] {
  return events.flatMap((event) => (event.kind === "fault" ? [event.fault.message] : []));
}

function lineCount(bytes: Uint8Array = Buffer.alloc(0)): number {
  const lines = Buffer.from(bytes).toString().split("\n");
  return lines.filter((line) => line.trim() !== "").length;
}
