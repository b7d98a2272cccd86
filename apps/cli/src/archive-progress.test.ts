import { expect, it } from "vitest";
import { describeArchive } from "./archive-progress.ts";

const pace = { done: 50_000, total: 200_000, doneBefore: 0, elapsedMs: 2_000 };

it.each([
  ["copy", "copying  ███░░░░░░░  25 %  50,000/200,000 rows  25,000 rows/s  6.0 s left"],
  ["check", "checking  ███░░░░░░░  25 %  50,000/200,000 rows  25,000 rows/s  6.0 s left"],
  ["pack", "writing  ███░░░░░░░  25 %  200 kB  25.0 kB/s  6.0 s left"],
  ["unpack", "unpacking  ███░░░░░░░  25 %  200 kB  25.0 kB/s  6.0 s left"],
  ["compact", "compacting  ███░░░░░░░  25 %"],
  ["fold", "updating indexes  ███░░░░░░░  25 %"],
] as const)("describes %s in one line", (step, expected) => {
  expect(describeArchive({ step, done: pace.done, total: pace.total }, pace)).toBe(expected);
});
