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
import { isJsonObject, type JsonValue, type ReadEvent, tryParseObject } from "@pond/canonical";
import { type Reader, type RestoredFile, toPosixPath } from "@pond/canonical/adapter";
import { describe, expect, it } from "vitest";
import { fromOmp, fromPi } from "./from-pi.ts";
import { toOmp, toPi } from "./to-pi.ts";

const corpus =
  process.env["POND_CORPUS"] ??
  fileURLToPath(new URL("../../../../shared/corpus", import.meta.url));
const isThere = existsSync(join(corpus, "pi"));
if (!isThere) console.log(`skipped: no corpus of real sessions at ${corpus} (set POND_CORPUS)`);

const pi = { from: fromPi, to: toPi };
const omp = { from: fromOmp, to: toOmp };
const clients = [
  { name: "pi", folder: "pi/sessions", ...pi },
  { name: "omp", folder: "omp/sessions", ...omp },
  { name: "pi", folder: "_growth/pi", ...pi },
  { name: "pi", folder: "_fixtures/pi", ...pi },
  // Either reads what the other wrote, and gives it back as it was.
  { name: "omp", folder: "pi/sessions", ...omp },
  { name: "omp", folder: "_fixtures/pi", ...omp },
];

describe.skipIf(!isThere).each(clients)(
  "real sessions of $folder as $name",
  ({ folder, from, to }) => {
    it("are restored record by record, in order (`adapter-native-restore-lossless`)", async () => {
      const sessions = join(corpus, folder);
      const { restored, events, faults } = await restoreAll(from(sessions), to.writeNative);

      const wanted = new Map(
        globSync("**/*.jsonl", { cwd: sessions })
          .map(
            (path) =>
              [`sessions/${toPosixPath(path)}`, readFileSync(join(sessions, path))] as const,
          )
          // Without a header it is a session of neither client.
          .filter(([, bytes]) => hasHeader(bytes)),
      );
      expect(faults).toEqual([]);
      expect([...restored.keys()].sort()).toEqual([...wanted.keys()].sort());
      const [actual, expected] = [jsonlRecords(restored), jsonlRecords(wanted)];
      for (const [path, records] of expected) {
        const difference = firstDifference([...records], [...(actual.get(path) ?? [])]);
        expect(difference, path).toBeUndefined();
      }
      // Who syncs the restored files stores nothing new.
      const again = await withFolder(restored, (home) => sessionTexts(from(home)));
      const texts = new Set(await sessionTexts(from(sessions)));
      expect(again.length).toBe(wanted.size);
      expect(again.filter((text) => !texts.has(text)).map((text) => text.slice(0, 200))).toEqual(
        [],
      );
      const lost = events.flatMap((event) => (event.kind === "fault" ? [event.fault] : []));
      expect(lost.map(({ details }) => relative(sessions, details.uri))).toEqual(
        damagedFiles(sessions),
      );
    });
  },
);

async function restoreAll(
  reader: Reader,
  write: (lineage: ReturnType<typeof lineagesOf>[number]) => Iterable<RestoredFile>,
) {
  const { sessions, faults } = await findSessions(reader);
  const read: (readonly ReadEvent[])[] = [];
  for (const { key } of sessions) read.push(await readAll(reader, key));
  const contents = read.filter((events) => events.some(({ kind }) => kind === "session"));
  // The corpus holds one session several times; each file is restored by itself.
  const files = contents
    .flatMap((events) => lineagesOf([contentOf(events)]))
    .flatMap((lineage) => [...write(lineage)]);
  return { restored: restoredFiles(files), events: read.flat(), faults };
}

/** One path for each line that is neither blank nor one object, and for each file without a header. */
function damagedFiles(folder: string): readonly string[] {
  return globSync("**/*.jsonl", { cwd: folder })
    .sort()
    .flatMap((path) => {
      const bytes = readFileSync(join(folder, path));
      const text = bytes.toString();
      const lines = text.split("\n").filter((line) => line.trim() !== "");
      const broken = lines.filter((line) => tryParseObject(line) === undefined).length;
      const isPending = !text.endsWith("\n") && !isJson(lines.at(-1) ?? "");
      return Array<string>(broken - (isPending ? 1 : 0) + (hasHeader(bytes) ? 0 : 1)).fill(path);
    });
}

function hasHeader(bytes: Uint8Array): boolean {
  return recordsOf(bytes).some((record) => isJsonObject(record) && record["type"] === "session");
}

function recordsOf(bytes: Uint8Array): readonly JsonValue[] {
  return jsonlRecords(new Map([["a.jsonl", bytes]])).get("a.jsonl") ?? [];
}

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === "object";
  } catch {
    return false;
  }
}
