import { equal, fail, notEqual, ok } from "node:assert/strict";
import { appendFile, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AdapterCase, type CompleteKit, type Fixture, fixturesOf } from "../kit.ts";
import { findSessions } from "../read.ts";
import { reportSkipped } from "../report-skipped.ts";
import { withFolder } from "../source-files.ts";

/** A fingerprint that misses a change keeps the changed records out for good. */
export function changeCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).flatMap((fixture) => [growthCase(kit, fixture), editCase(kit, fixture)]);
}

function growthCase(kit: CompleteKit, fixture: Fixture): AdapterCase {
  return {
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
  };
}

function editCase(kit: CompleteKit, fixture: Fixture): AdapterCase {
  const name = `fingerprints of ${fixture.name} tell an edit of equal length`;
  return {
    rule: "adapter-integrity-no-silent-drops",
    name,
    run: async () => {
      const files = await fixture.load();
      const edited = [...files].filter(
        ([path, bytes]) => isJson(kit, path) && lastAlphanumericIndex(bytes) >= 0,
      );
      if (edited.length === 0) return reportSkipped(name, "none of its files is JSON");
      await withFolder(files, async (folder) => {
        const reader = kit.reader(folder);
        for (const [path] of edited) {
          const { sessions } = await findSessions(reader);
          await editInPlace(join(folder, path));
          const after = await Promise.all(sessions.map(({ key }) => reader.fingerprint(key)));
          const isNoticed = sessions.some(({ fingerprint }, at) => fingerprint !== after[at]);
          if (sessions.length > 0 && !isNoticed) {
            fail(`${path}: a byte of it is another, and no fingerprint is`);
          }
        }
      });
    },
  };
}

/** True for files that are read whole. In a database, only the rows may have changed. */
function isJson(kit: CompleteKit, path: string): boolean {
  return kit.isLineFile(path) || path.endsWith(".json");
}

/** Changes the last letter or digit, a second later than the file was written. */
async function editInPlace(path: string): Promise<void> {
  const [bytes, { atime, mtimeMs }] = [await readFile(path), await stat(path)];
  const at = lastAlphanumericIndex(bytes);
  bytes.write(bytes.toString("latin1", at, at + 1) === "0" ? "1" : "0", at);
  await writeFile(path, bytes, { flag: "r+" });
  await utimes(path, atime, new Date(mtimeMs + 1000));
}

/** Index of the last letter or digit; -1 if there is none. */
function lastAlphanumericIndex(bytes: Uint8Array): number {
  return bytes.findLastIndex((byte) => /[0-9a-z]/i.test(String.fromCharCode(byte)));
}
