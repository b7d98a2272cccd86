import { expect, it } from "vitest";
import { jsonText } from "./json-file.ts";

const mark = "\ufeff";

it("reads UTF-16 of any length", () => {
  const bytes = Buffer.alloc(2 ** 28, " ", "utf16le");
  bytes.write(`${mark}{}`, "utf16le");

  const text = jsonText(bytes, { fatal: true });

  expect([text.length, text.slice(0, 3)]).toEqual([2 ** 27 - 1, "{} "]);
});

it.each<[string, Buffer]>([
  ["a lone surrogate", Buffer.from(`${mark}"\ud83e"`, "utf16le")],
  ["half a code unit", Buffer.from(`${mark}{}`, "utf16le").subarray(0, -1)],
])("refuses UTF-16 with %s", (_, bytes) => {
  expect(() => jsonText(bytes, { fatal: true })).toThrow(TypeError);
});
