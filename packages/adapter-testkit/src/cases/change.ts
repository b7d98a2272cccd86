import { equal, notEqual, ok } from "node:assert/strict";
import { appendFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type AdapterCase, type CompleteKit, fixturesOf } from "../kit.ts";
import { findSessions } from "../read.ts";
import { withFolder } from "../source-files.ts";

/** A fingerprint that misses a change keeps the changed records out for good. */
export function changeCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => ({
    rule: "adapter-integrity-no-silent-drops",
    name: `fingerprints of ${fixture.name} change with its files and only then`,
    run: async () => {
      const files = await fixture.load();
      await withFolder(files, async (folder) => {
        const reader = kit.reader(folder);
        const { sessions } = await findSessions(reader);
        equal(new Set(sessions.map(({ key }) => key)).size, sessions.length, "keys are unique");
        for (const { key, fingerprint } of sessions) {
          const again = await reader.fingerprint(key);
          equal(again, fingerprint, `${key}: ${again} instead of ${fingerprint}, nothing changed`);
        }

        for (const path of files.keys()) {
          if (kit.isLineFile(path)) await appendFile(join(folder, path), "\n");
        }

        const hasLines = [...files.keys()].every(kit.isLineFile);
        for (const { key, fingerprint } of hasLines ? sessions : []) {
          notEqual(
            await reader.fingerprint(key),
            fingerprint,
            `${key}: still ${fingerprint}, and it has grown`,
          );
        }

        await rm(folder, { recursive: true });

        for (const { key } of sessions) {
          const gone = await reader.fingerprint(key);
          ok(gone === undefined, `${key}: ${gone} instead of undefined, and it is gone`);
        }
      });
    },
  }));
}
