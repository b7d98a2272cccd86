import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapterCases } from "@pond/adapter-testkit";
import { test } from "vitest";
import { fromCodex } from "./from-codex.ts";
import { codexProblems } from "./problems.ts";
import { toCodex } from "./to-codex.ts";

const folder = fileURLToPath(new URL("../../../fixtures/codex", import.meta.url));
const fixtures = globSync("*/input", { cwd: folder }).map((input) => join(folder, dirname(input)));

const cases = adapterCases({
  reader: fromCodex,
  writer: toCodex,
  fixtures,
  problems: codexProblems,
  // The media type and the bytes of a file part are its data URL.
  isImplied: ({ path, value }) => /_url$/.test(path) && /^data:[^;,]+;base64,/.test(String(value)),
});

test.each([...cases])("$rule: $name", ({ run }) => run());
