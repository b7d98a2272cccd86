import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonValue, parseJson, stringifyJson } from "../json.ts";
import { jsonEqual } from "../json-equal.ts";
import { boundText, boundValue } from "./bounded.ts";
import { encodedBytes, fits } from "./measure.ts";

const long = (length: number): string => "x".repeat(length);

describe("boundText (`adapter-bounded-values`)", () => {
  it.each([
    ["short text", "hello", "hello"],
    ["text at the bound", long(998), long(998)],
    ["text past the bound", long(999), "[pond: truncated, 1001 bytes]"],
    ["text that is too long once escaped", "\0".repeat(200), "[pond: truncated, 1202 bytes]"],
    ["text that is too long in UTF-8", "織".repeat(400), "[pond: truncated, 1202 bytes]"],
  ])("bounds %s by its size as JSON", (_, text, expected) => {
    expect(boundText(text, 1000)).toBe(expected);
  });
});

describe("boundValue (`adapter-bounded-values`)", () => {
  it.each<[string, JsonValue, JsonValue]>([
    ["keeps a value that fits", { a: [long(900)] }, { a: [long(900)] }],
    [
      "replaces a long text and nothing around it",
      { id: "a", content: [{ text: long(2000), kept: 1 }, long(100)] },
      { id: "a", content: [{ text: "[pond: truncated, 2002 bytes]", kept: 1 }, long(100)] },
    ],
    [
      "replaces as many texts as needed, the largest first",
      [long(500), long(700), long(600), "short"],
      [long(500), "[pond: truncated, 702 bytes]", "[pond: truncated, 602 bytes]", "short"],
    ],
    [
      "replaces a container that holds only small values",
      { list: Array.from({ length: 600 }, () => 1), kept: true },
      { list: { pond_truncated: { bytes: 1201 } }, kept: true },
    ],
    [
      "replaces an object whose key is too long",
      { [long(2000)]: 1 },
      { pond_truncated: { bytes: 2006 } },
    ],
    ["replaces a value that is one long text", long(2000), "[pond: truncated, 2002 bytes]"],
    [
      "keeps a `__proto__` field with a long text in it",
      parseJson(`{"__proto__":{"a":"${long(2000)}"},"b":1}`),
      parseJson('{"__proto__":{"a":"[pond: truncated, 2002 bytes]"},"b":1}'),
    ],
  ])("%s", (_, value, expected) => {
    expect(stringifyJson(boundValue(value, 1000))).toBe(stringifyJson(expected));
  });

  it("gives a value that fits, unchanged if it did fit", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 70, max: 300 }), (value, maxBytes) => {
        const parsed = parseJson(JSON.stringify(value));
        const bounded = boundValue(parsed, maxBytes);
        const size = Buffer.byteLength(stringifyJson(parsed));

        expect(Buffer.byteLength(stringifyJson(bounded))).toBeLessThanOrEqual(maxBytes);
        expect(jsonEqual(bounded, parsed)).toBe(size <= maxBytes);
      }),
    );
  });

  it("bounds a value of a million levels", () => {
    const value = parseJson(`${"[".repeat(1_000_000)}"${long(100)}"${"]".repeat(1_000_000)}`);

    expect(
      stringifyJson(boundValue(value, 2_000_100)).includes("[pond: truncated, 102 bytes]"),
    ).toBe(true);
  });
});

describe("encodedBytes", () => {
  it("is the size of the JSON text", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
        const whole = parseJson(JSON.stringify([value, { [text]: text }, 1e21, "\ud800", "\0"]));
        const size = Buffer.byteLength(stringifyJson(whole));

        expect(encodedBytes(whole)).toBe(size);
        expect([fits(whole, size), fits(whole, size - 1)]).toEqual([true, false]);
      }),
    );
  });

  it("counts a surrogate pair as one character even where a long text is cut", () => {
    const text = `${"x".repeat((1 << 20) - 1)}😀${"y".repeat(1 << 20)}`;

    expect(encodedBytes(text)).toBe(Buffer.byteLength(JSON.stringify(text)));
  });
});
