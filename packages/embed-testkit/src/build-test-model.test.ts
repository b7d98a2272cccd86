import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildTestModel } from "./index.ts";

const files = [
  "model.onnx",
  "tokenizer.json",
  "tokenizer_config.json",
  "config.json",
  "1_Pooling/config.json",
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-testkit-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("writes the same small files for the same options", async () => {
  await buildTestModel(join(folder, "a"), { dimension: 16, words: ["lock"] });
  await buildTestModel(join(folder, "b"), { dimension: 16, words: ["lock"] });

  for (const file of files) {
    expect(readFileSync(join(folder, "a", file))).toEqual(readFileSync(join(folder, "b", file)));
  }
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, "a", file)).size, 0);
  expect(bytes).toBeLessThan(1_000_000);
});

it("keeps the vectors of tokens when words are added", async () => {
  const tables = [];
  for (const [name, words] of Object.entries({ none: [], one: ["lock"] })) {
    await buildTestModel(join(folder, name), { dimension: 8, words });
    const { vocab } = JSON.parse(readFileSync(join(folder, name, "tokenizer.json"), "utf8")).model;
    const model = readFileSync(join(folder, name, "model.onnx"));
    // The table is one run of bytes; its first row is [PAD], +-100 each.
    const start = model.findIndex((_, at) =>
      model.subarray(at, at + 8).every((byte) => byte === 100 || byte === 256 - 100),
    );
    tables.push(model.subarray(start + vocab["##st"] * 8, start + vocab["##st"] * 8 + 8));
  }

  expect(tables[0]).toEqual(tables[1]);
});
