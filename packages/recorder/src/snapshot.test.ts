import { parseJson, stringifyJson } from "@pond/canonical";
import { expect, test } from "vitest";
import { snapshot } from "./snapshot.ts";

test.each<[string, unknown, string]>([
  ["undefined fields", { a: undefined, b: null }, '{"b":null}'],
  ["dates", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ["numbers kept as text", parseJson('{"n":12345678901234567890}'), '{"n":12345678901234567890}'],
  ["an object with a rawJSON field", { rawJSON: "1e400" }, '{"rawJSON":"1e400"}'],
  ["a key named __proto__", parseJson('{"__proto__":{"x":1}}'), '{"__proto__":{"x":1}}'],
  [
    "the fields of a class instance",
    new (class Step {
      readonly a = 1;
    })(),
    '{"a":1}',
  ],
  ["objects without a prototype", Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
])("takes %s as JSON does", (_, value, text) => {
  expect(stringifyJson(snapshot(value))).toBe(text);
});

test("takes only what toJSON returns if a value has that method", () => {
  const circle: { self?: unknown; size: number } = { size: Number.NaN };
  circle.self = circle;
  const said = { text: "cannot read properties of null", status: null };

  expect(snapshot({ doc: { circle, toJSON: () => said } })).toEqual({ doc: said });
});

const circle: unknown[] = [];
circle.push({ circle });

test.each<[string, unknown]>([
  ["undefined", undefined],
  ["undefined in an array", [1, undefined]],
  ["a hole in an array", Array(1)],
  ["a function in an array", [() => 1]],
  ["a bigint", { a: 1n }],
  ["infinity", { a: [Number.POSITIVE_INFINITY] }],
  ["a toJSON that returns NaN", { a: { toJSON: () => Number.NaN } }],
  ["an invalid date", { at: new Date(Number.NaN) }],
  ["a map", { a: new Map([["a", 1]]) }],
  ["a set", { a: new Set([1]) }],
  ["an error", new Error("boom")],
  ["bytes", { a: Uint8Array.of(1, 2) }],
  ["a circular structure", circle],
])("refuses %s", (_, value) => {
  expect(() => snapshot(value)).toThrow(TypeError);
});

/** A value inside as many lists as no call stack holds. */
function nested(value: unknown): unknown {
  let outer = value;
  for (let level = 0; level < 100_000; level += 1) outer = [outer];
  return outer;
}

test("takes values of any depth", () => {
  const text = stringifyJson(snapshot(nested({ a: [1, "x", null] })));

  expect(text === `${"[".repeat(100_000)}{"a":[1,"x",null]}${"]".repeat(100_000)}`).toBe(true);
});

test.each<[string, unknown]>([
  ["NaN", Number.NaN],
  ["undefined", undefined],
  ["a hole in an array", Array(2)],
  ["a date", new Date(0)],
  ["a map", new Map()],
])("refuses %s nested deeper than any call stack", (_, value) => {
  expect(() => snapshot(nested(value))).toThrow(TypeError);
});

test("refuses a circular value that is deeper than any call stack", () => {
  const end: unknown[] = [];
  end.push(nested(end));

  expect(() => snapshot(end)).toThrow(TypeError);
});
