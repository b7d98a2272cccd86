import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { measureFiles } from "./measure-files.ts";

let folder = "";
const others = () => [{ file: join(folder, "b"), path: "side/b" }];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-measure-"));
  writeFileSync(join(folder, "a"), "four");
  writeFileSync(join(folder, "b"), "five!");
});
afterEach(() => rmSync(folder, { recursive: true }));

it("counts the bytes of all files except missing ones", () => {
  const whole = measureFiles(join(folder, "a"), others());
  rmSync(join(folder, "b"));

  expect(whole.bytes).toBe(9);
  expect(measureFiles(join(folder, "a"), others()).bytes).toBe(4);
});

it.each(["a", "b"])("gives another fingerprint when file %s grew", (name) => {
  const before = measureFiles(join(folder, "a"), others());
  writeFileSync(join(folder, name), "more of it");

  expect(measureFiles(join(folder, "a"), others()).fingerprint).not.toBe(before.fingerprint);
});

it("throws if the session's own file is missing", () => {
  expect(() => measureFiles(join(folder, "gone"))).toThrow("ENOENT");
});
