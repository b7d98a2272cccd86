import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("modules that tests share register no hooks on loading, which only the first test file would get", () => {
  const shared = globSync("{packages,apps}/*/src/**/*.ts").filter((file) => !/\.test\./.test(file));

  const hooked = shared.filter((file) =>
    /^(?:before|after)(?:All|Each)\(/m.test(readFileSync(file, "utf8")),
  );

  expect(shared.length).toBeGreaterThan(100);
  expect(hooked).toEqual([]);
});
