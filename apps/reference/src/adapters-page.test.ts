import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { root } from "./packages.ts";

// The blocks of docs/adapters.md are one program; checks/readme.test.ts runs it.
const page = readFileSync(join(root, "docs", "adapters.md"), "utf8");
const program = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block).join("\n");

it("compiles the adapter that docs/adapters.md shows without a type error", () => {
  // Where what it imports is found.
  const file = join(root, "packages", "adapter-testkit", "src", "page.ts");
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const host = ts.createCompilerHost(options);
  const onDisk = { readFile: host.readFile, fileExists: host.fileExists };
  host.readFile = (name) => (name === file ? program : onDisk.readFile(name));
  host.fileExists = (name) => name === file || onDisk.fileExists(name);

  const checked = ts.createProgram([file], options, host);
  const source = checked.getSourceFile(file);
  const found = ts.getPreEmitDiagnostics(checked, source);

  expect(source?.text).toBe(program);
  expect(ts.formatDiagnostics(found, { ...host, getCurrentDirectory: () => root })).toBe("");
});
