import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RestoredFile } from "@pond/canonical/adapter";
import { expect, it, onTestFinished } from "vitest";
import { writeFiles } from "./write-files.ts";

it("gives each file a later time than the files before it, whatever the file system's clock", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pond-later-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const session = "s" as RestoredFile["session"];
  const names = Array.from({ length: 50 }, (_, at) => `${at}`);
  const began = Date.now();

  for (const half of [names.slice(0, 25), names.slice(25)]) {
    await writeFiles(
      half.map((path) => ({ session, path, content: ["same"] })),
      folder,
    );
  }

  const times = names.map((name) => Math.floor(statSync(join(folder, name)).mtimeMs));
  expect(readdirSync(folder)).toHaveLength(names.length);
  expect([...new Set(times)].sort()).toEqual(times);
  expect(times[0]).toBeGreaterThanOrEqual(began);
});
