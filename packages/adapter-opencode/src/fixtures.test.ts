import { globSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventText, readSource } from "@pond/adapter-testkit";
import { expect, it } from "vitest";
import { fromOpencode } from "./from-opencode.ts";

const fixtures = fileURLToPath(new URL("../../../fixtures/opencode", import.meta.url));
const names = globSync("*/input", { cwd: fixtures }).map((input) => basename(dirname(input)));

it.each(names)("reads the fixture %s as it was reviewed (`-u` writes it)", async (name) => {
  const input = join(fixtures, name, "input");

  const read = await readSource(fromOpencode(input));

  const lines = [...read].flatMap(([key, events]) => [`read ${key}`, ...events.map(eventText)]);
  const text = `${lines.join("\n")}\n`.replaceAll(input, "");
  await expect(text).toMatchFileSnapshot(join(fixtures, name, "expected.txt"));
});
