import { existsSync, globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import {
  contentOf,
  eventText,
  findSessions,
  firstDifference,
  readAll,
  restoredFiles,
  sessionTexts,
  withFolder,
} from "@pond/adapter-testkit";
import { type JsonValue, parseJson, type ReadEvent } from "@pond/canonical";
import { describe, expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import { toOpencode } from "./to-opencode.ts";

const corpus =
  process.env["POND_CORPUS"] ??
  fileURLToPath(new URL("../../../../shared/corpus", import.meta.url));
const isThere = existsSync(join(corpus, "opencode"));
if (!isThere) console.log(`skipped: no corpus of real sessions at ${corpus} (set POND_CORPUS)`);

const folders = isThere
  ? ["opencode", ...globSync("_growth/opencode/*", { cwd: corpus })]
  : ["a corpus, which is not here"];

describe.skipIf(!isThere).each(folders)("real exports of %s", (folder) => {
  it("are restored with every value (`adapter-native-restore-lossless`)", async () => {
    const root = join(corpus, folder);
    const reader = fromOpencode(root);
    const { sessions, faults } = await findSessions(reader);
    const wanted = globSync("**/*.json", { cwd: root }).sort();

    expect(sessions.map(({ key }) => key).sort()).toEqual(wanted);
    expect(faults).toEqual([]);
    for (const { key } of sessions) {
      const events = await readAll(reader, key);
      const restored = restoredFiles(
        toOpencode.writeNative({ root: contentOf(events), descendants: [] }),
      );

      expect(events.filter(isLost)).toEqual([]);
      expect([...restored.keys()]).toEqual([key]);
      const difference = firstDifference(
        parsed(readFileSync(join(root, key))),
        parsed(restored.get(key) ?? Buffer.from("null")),
      );
      expect(difference, relative(corpus, key)).toBeUndefined();
      const again = await withFolder(restored, (home) => sessionTexts(fromOpencode(home)));
      // Who syncs the restored file stores nothing new.
      expect(again.join("") === events.map(eventText).join("\n"), key).toBe(true);
    }
  });
});

function isLost({ kind }: ReadEvent): boolean {
  return kind === "fault" || kind === "pending";
}

function parsed(bytes: Uint8Array): JsonValue {
  return parseJson(Buffer.from(bytes).toString());
}
