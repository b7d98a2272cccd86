import { open, readFile } from "node:fs/promises";
import { ModelFolder } from "@pond/embed-testkit";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onnxLength } from "./onnx-length.ts";

let folder: ModelFolder;
let model: Buffer;
beforeAll(async () => {
  folder = await ModelFolder.with({ dimension: 8 });
  model = await readFile(folder.file("model.onnx"));
});
afterAll(() => folder.remove());

async function lengthOf(bytes: Uint8Array): Promise<number | undefined> {
  folder.write("some.bin", bytes);
  const file = await open(folder.file("some.bin"));
  try {
    return await onnxLength(file, bytes.length);
  } finally {
    await file.close();
  }
}

it("gives the length of a whole file, and more than its own length for a part of one", async () => {
  expect(await lengthOf(model)).toBe(model.length);
  for (const share of [0.3, 0.5, 0.9]) {
    const part = model.subarray(0, Math.floor(model.length * share));
    expect(await lengthOf(part)).toBeGreaterThan(part.length);
  }
});

it.each([
  ["an HTML page", Buffer.from("<!doctype html><title>Not found</title>")],
  ["zeros", Buffer.alloc(64)],
  ["one byte", Buffer.from([8])],
])("gives no length for %s", async (_, bytes) => {
  expect(await lengthOf(bytes)).toBeUndefined();
});
