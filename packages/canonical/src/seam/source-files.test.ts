import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { isLeftAlone } from "./source-files.ts";

const folder = mkdtempSync(join(tmpdir(), "pond-left-alone-"));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  { minutes: 0, expected: false },
  { minutes: 59, expected: false },
  { minutes: 61, expected: true },
  // Clocks differ, and a disk may be another machine's.
  { minutes: -61, expected: false },
])("a file written $minutes minutes ago is left alone: $expected", ({ minutes, expected }) => {
  const file = join(folder, `${minutes}`);
  writeFileSync(file, "");
  const written = new Date(Date.now() - minutes * 60_000);
  utimesSync(file, written, written);

  expect(isLeftAlone(file)).toBe(expected);
});

it("a file that is gone is not left alone: whoever writes it may be replacing it", () => {
  expect(isLeftAlone(join(folder, "gone"))).toBe(false);
});
