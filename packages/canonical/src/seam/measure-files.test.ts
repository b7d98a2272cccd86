import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileFingerprint, measureFiles } from "./measure-files.ts";

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

it.each([
  ["of that moment", 0],
  ["rounded down to it", 1_999],
  ["rounded up to it", -1_999],
])("gives another fingerprint once a time in whole seconds has passed: %s", (_, readMs) => {
  const stats = { size: 4n, mtimeNs: 1_790_000_000_000_000_000n, ino: 7n };
  const read = fileFingerprint(stats, 1_790_000_000_000 + readMs);
  const later = fileFingerprint(stats, 1_790_000_002_000);

  expect(later).not.toBe(read);
  expect(fileFingerprint(stats, 1_790_000_003_000)).toBe(later);
});

it("gives the same fingerprint at any time where times are exact", () => {
  const stats = { size: 4n, mtimeNs: 1_790_000_000_000_000_001n, ino: 7n };

  expect(fileFingerprint(stats, 1_790_000_009_000)).toBe(fileFingerprint(stats, 1_790_000_000_000));
});
