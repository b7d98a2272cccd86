import { expect, it } from "vitest";
import { chunkLines } from "./chunk-lines.ts";

it("joins lines into chunks of at least 64 KiB, except the last, without losing any", () => {
  const lines = ["a".repeat(65_535), "b", "c\n", "d".repeat(70_000), "e"];
  const chunks = chunkLines(() => lines);

  expect([...chunks].map(({ length }) => length)).toEqual([65_536, 70_002, 1]);
  expect([...chunks].join("")).toBe(lines.join(""));
});

it("gives no piece for no lines, and asks for no lines before it is read", () => {
  let asked = 0;
  const chunks = chunkLines(() => {
    asked++;
    return [];
  });

  expect(asked).toBe(0);
  expect([...chunks]).toEqual([]);
});
