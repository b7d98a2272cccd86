import { chownSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { withScratchFolder } from "./scratch.ts";
import { temporaryFolder } from "./testing.ts";

// No process has it: Linux ends at 2^22, and others lower.
const nobody = 2 ** 30;

it("removes only the folder that a dead process left for the same path", async () => {
  const path = join(temporaryFolder(), "archive");
  const left = `${path}.part-${nobody}-abcdef`;
  const others = [
    `${path}.part-${nobody}`,
    `${path}.part-x-abcdef`,
    `${path}s.part-${nobody}-abcdef`,
  ];
  for (const folder of [left, ...others]) mkdirSync(folder);

  await withScratchFolder(path, async () => undefined);

  expect([left, ...others].map((folder) => existsSync(folder))).toEqual([false, true, true, true]);
});

const isRoot = process.getuid?.() === 0;
if (!isRoot) console.log("skipped: only root can give a folder to another user");

it.skipIf(!isRoot)("leaves a folder that another user's process left", async () => {
  const path = join(temporaryFolder(), "archive");
  const theirs = `${path}.part-${nobody}-abcdef`;
  mkdirSync(theirs);
  chownSync(theirs, 65_534, 65_534);

  await withScratchFolder(path, async (folder) => expect(existsSync(folder)).toBe(true));

  expect(existsSync(theirs)).toBe(true);
});
