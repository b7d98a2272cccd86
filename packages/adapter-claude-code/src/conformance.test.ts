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

// The text of a document is in canonical as the bytes of its file.
const documentText = "plain notes";
const documentBytes = Buffer.from(documentText).toString("base64");

const cases = adapterCases({
  reader: fromClaudeCode,
  writer: toClaudeCode,
  problems: claudeCodeProblems,
  fixtures,
  isLineFile,
  isImplied: ({ path, value }) => path.endsWith(".source.data") && value === documentText,
  isDerived: ({ path, value }) => path === "data.base64" && value === documentBytes,
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
