import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapterCases } from "@pond/adapter-testkit";
import { test } from "vitest";
import { fromOpencode } from "./from-opencode.ts";
import { notIngestedFile } from "./not-ingested.ts";
import { opencodeProblems } from "./problems.ts";
import { toOpencode } from "./to-opencode.ts";

const folder = fileURLToPath(new URL("../../../fixtures/opencode", import.meta.url));
const fixtures = globSync("*/input", { cwd: folder }).map((input) => join(folder, dirname(input)));

const cases = adapterCases({
  reader: fromOpencode,
  writer: toOpencode,
  fixtures,
  isLineFile: () => false,
  isIngested: (path) => !notIngestedFile(path),
  problems: opencodeProblems,
  keepsInside: true,
  isImplied: ({ path, value }) =>
    // Times are canonical's own, the status of a tool is whether it failed, and the media type and
    // the bytes of a file part are its address.
    (/\btime\.created$/.test(path) && Number.isInteger(value)) ||
    (/(?:^|\.)(?:type|status)$/.test(path) && implied.includes(String(value))) ||
    (/(?:^|\.)url$/.test(path) && /^data:[^;,]+;base64,/.test(String(value))),
  isDerived: ({ path }) => /^options\.source\.lacks\b/.test(path),
});

const implied: readonly string[] = ["tool", "completed", "error"];

test.each([...cases])("$rule: $name", ({ run }) => run());
