import { expect, it } from "vitest";
import { describeArchive } from "./archive-progress.ts";

const pace = { done: 50_000, total: 200_000, doneBefore: 0, elapsedMs: 2_000, columns: 79 };

it.each([
  ["copy", "copying  ██░░░░░░  25 %  50,000/200,000 rows  6 s left  25,000 rows/s"],
  ["check", "checking  ██░░░░░░  25 %  50,000/200,000 rows  6 s left  25,000 rows/s"],
  ["mend", "storing anew  ██░░░░░░  25 %  50,000/200,000 rows  6 s left  25,000 rows/s"],
  ["pack", "writing  ██░░░░░░  25 %  200 kB  6 s left  25.0 kB/s"],
  ["unpack", "unpacking  ██░░░░░░  25 %  200 kB  6 s left  25.0 kB/s"],
  ["compact", "compacting  ██░░░░░░  25 %"],
  ["fold", "updating indexes  ██░░░░░░  25 %"],
] as const)("describes the step %s in one line", (step, expected) => {
  expect(describeArchive({ step, done: pace.done, total: pace.total }, pace)).toBe(expected);
});
