import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findPieces, readPiece } from "./json-pieces.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pond-pieces-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Found = { readonly rest: unknown; readonly list: readonly unknown[] | undefined };

/** The pieces of a text, each parsed; undefined if it is no object. */
function found(text: string, chunkBytes: number): Found | undefined {
  const file = join(folder, "file.json");
  writeFileSync(file, text);
  const handle = openSync(file, "r");
  try {
    const pieces = findPieces(handle, "loops", chunkBytes);
    if (pieces === undefined) return undefined;
    const [members, list] = [pieces.members, pieces.elements].map((some) =>
      some?.map((piece) => readPiece(handle, piece).toString()),
    );
    const { loops: _, ...rest } = JSON.parse(`{${members?.join()}}`);
    return { rest, list: list?.map((each) => JSON.parse(each)) };
  } finally {
    closeSync(handle);
  }
}

/** The same from the whole text. */
function expected(text: string): Found | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { loops, ...rest } = value as { readonly loops?: unknown };
  return { rest, list: Array.isArray(loops) ? loops : undefined };
}

const value = fc.jsonValue({ maxDepth: 3 });
const file = fc
  .tuple(
    fc.dictionary(fc.oneof(fc.constant("loops"), fc.string()), value),
    fc.oneof(value, fc.array(value), fc.array(value)),
    fc.constantFrom("", " ", "\t", "\r\n"),
  )
  .map(([members, loops, indent]) => JSON.stringify({ ...members, loops }, null, indent));

it("finds the same as parsing the whole text, wherever chunks end", () => {
  fc.assert(
    fc.property(file, fc.integer({ min: 1, max: 12 }), (text, chunkBytes) => {
      expect(found(text, chunkBytes)).toEqual(expected(text));
    }),
    { numRuns: 500 },
  );
});

it("fails where parsing the whole text does, and only there", () => {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.integer({ min: 0, max: 2 }),
    added: fc.constantFrom("", ",", ":", '"', "\\", "{", "}", "[", "]", " ", "1", "x", "é"),
  });
  fc.assert(
    fc.property(file, change, (whole, { at, removed, added }) => {
      const place = Math.floor(at * whole.length);
      const broken = whole.slice(0, place) + added + whole.slice(place + removed);
      const outcome = (read: () => Found | undefined): unknown => {
        try {
          return read();
        } catch (error) {
          return error instanceof SyntaxError ? "not JSON" : error;
        }
      };

      const wanted = outcome(() => expected(broken));
      // Whether something else than an object is JSON is not asked here.
      if (wanted === "not JSON" && !/^[ \t\r\n]*\{/.test(broken)) return;
      expect([broken, outcome(() => found(broken, 5))]).toEqual([broken, wanted]);
    }),
    { numRuns: 3_000, examples: [['{"loops":0}', { at: 0.9, removed: 0, added: "é" }]] },
  );
});

it.each([
  ["a byte order mark", '\ufeff{"a":1,"loops":[2]}', { rest: { a: 1 }, list: [2] }],
  ["two lists, of which the second counts", '{"loops":[1],"loops":[2]}', { rest: {}, list: [2] }],
  ["a second value that is no list", '{"loops":[1],"loops":{}}', { rest: {}, list: undefined }],
  ["three of them", '{"loops":[1],"b":3,"loops":4,"loops":[2]}', { rest: { b: 3 }, list: [2] }],
  ["an escaped name", '{"l\\u006fops":[1]}', { rest: {}, list: [1] }],
  [
    "brackets and quotes in a text",
    '{"a":"]}\\"[","loops":["{\\\\"]}',
    { rest: { a: ']}"[' }, list: ["{\\"] },
  ],
  ["a list", "[1]", undefined],
])("knows %s", (_, text, pieces) => {
  for (const chunkBytes of [1, 2, 3, 100]) expect(found(text, chunkBytes)).toEqual(pieces);
});

it.each([
  ['{"loops":[1]', "Unexpected end of JSON input"],
  ['{"loops":[1]} x', "Unexpected token at byte 14"],
  ['{"loops":[1 2]}', "Unexpected token at byte 12"],
  ['{"loops":[1,]}', "Unexpected token at byte 12"],
  ["{loops:[1]}", "Unexpected token at byte 1"],
])("says where %s is no JSON, without its text", (text, message) => {
  expect(() => found(text, 4)).toThrow(new SyntaxError(message));
});
