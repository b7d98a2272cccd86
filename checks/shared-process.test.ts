import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("what tests share registers no hook as it is loaded: of files in one process the first alone would have it", () => {
  const shared = globSync("{packages,apps}/*/src/**/*.ts").filter((file) => !/\.test\./.test(file));

  const hooked = shared.filter((file) =>
    /^(?:before|after)(?:All|Each)\(/m.test(readFileSync(file, "utf8")),
  );

  expect(shared.length).toBeGreaterThan(100);
  expect(hooked).toEqual([]);
});
