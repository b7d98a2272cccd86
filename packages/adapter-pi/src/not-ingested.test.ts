import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { notIngested } from "./not-ingested.ts";

it("lists in the README, with the reason, every path that is not ingested (`model-lossless-projection`)", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8").replace(/ +/g, " ");
  const rows = notIngested.map(({ path, why }) => `| \`${path}\` | ${why} |`);

  expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
});
