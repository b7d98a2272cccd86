import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapterCases, jsonlRecords } from "@pond/adapter-testkit";
import { test } from "vitest";
import { fromClaudeCode } from "./from-claude-code.ts";
import { claudeCodeProblems } from "./problems.ts";
import { toClaudeCode } from "./to-claude-code.ts";

const folder = fileURLToPath(new URL("../../../fixtures/claude-code", import.meta.url));
// Records between zeros and behind a byte order mark are recovered; the kit expects them lost.
const fixtures = globSync("*/input", { cwd: folder, exclude: ["damaged-bytes"] }).map((input) =>
  join(folder, dirname(input)),
);

const cases = adapterCases({
  reader: fromClaudeCode,
  writer: toClaudeCode,
  problems: claudeCodeProblems,
  fixtures,
  isLineFile,
  records: (files) => {
    const logs = jsonlRecords(new Map([...files].filter(([path]) => isLineFile(path))));
    const others = [...files].filter(([path]) => !isLineFile(path));
    return new Map([
      ...logs,
      ...others.map(([path, bytes]) => [path, [Buffer.from(bytes).toString("base64")]] as const),
    ]);
  },
});

// The log of a workflow is a file of its session, kept byte by byte as its other files are.
function isLineFile(path: string): boolean {
  return path.endsWith(".jsonl") && !path.endsWith("journal.jsonl");
}

test.each([...cases])("$rule: $name", ({ run }) => run());
