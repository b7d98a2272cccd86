import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { replaceFile } from "./replace-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-replace-"));
  writeFileSync(join(folder, "file"), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ["a path below a file", "file/config.toml"],
  ["a name that is too long", "x".repeat(250)],
])("names the file that cannot be written: %s", async (_, name) => {
  const file = join(folder, name);

  await expect(replaceFile(file, "text")).rejects.toMatchObject({
    code: "target_unwritable",
    details: { path: file },
    cause: expect.objectContaining({ syscall: expect.any(String) }),
  });
  expect(readdirSync(folder)).toEqual(["file"]);
});
