import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { notIngested } from "./not-ingested.ts";

it("lists in the README, with the reason, every path that is not ingested (`model-lossless-projection`)", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  // Tables in Markdown are filled up with spaces.
  const readmeLines = readme.replace(/ +/g, " ").split("\n");

  expect(readmeLines).toEqual(
    expect.arrayContaining(notIngested.map(({ path, why }) => `| \`${path}\` | ${why} |`)),
  );
});
