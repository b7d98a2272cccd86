import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapterCases } from "@pond/adapter-testkit";
import { test } from "vitest";
import { fromPhiCore } from "./from-phi-core.ts";
import { phiCoreProblems } from "./problems.ts";
import { toPhiCore } from "./to-phi-core.ts";

const folder = fileURLToPath(new URL("../../../fixtures/phi-core", import.meta.url));
// A file that is half written is pending until it has been idle; `damaged` is tested by itself.
const fixtures = globSync("*/input", { cwd: folder, exclude: ["damaged"] }).map((input) =>
  join(folder, dirname(input)),
);

const cases = adapterCases({
  reader: fromPhiCore,
  writer: toPhiCore,
  fixtures,
  isLineFile: () => false,
  problems: phiCoreProblems,
  keepsInside: true,
  // Blocks and messages say by their kind what their type and their time say.
  isImplied: ({ path, value }) => /\btimestamp$/.test(path) && Number.isInteger(value),
  isDerived: ({ path }) =>
    /^options\.source\.(?:loop|head|messages|derived|repeats|lacks)\b/.test(path),
});

test.each([...cases])("$rule: $name", ({ run }) => run());
