import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isJsonObject,
  type JsonValue,
  parseJson,
  stringifyJson,
  tryParseJson,
  tryParseObject,
} from "./json.ts";
import { jsonEqual } from "./json-equal.ts";
import { isRawNumber } from "./raw-number.ts";
import { TooManyValuesError } from "./value-count.ts";

const nested = (depth: number): string =>
  `${'{"a":['.repeat(depth / 2)}9007199254740993${"]}".repeat(depth / 2)}`;

it.each<[text: string, value: unknown, object: unknown]>([
  ['{"a":1}', { a: 1 }, { a: 1 }],
  ["[1]", [1], undefined],
  ["null", null, undefined],
  ["9007199254740993", JSON.rawJSON("9007199254740993"), undefined],
  ["{", undefined, undefined],
  ["", undefined, undefined],
])("gives the value and the object that the text %j holds, or undefined", (text, value, object) => {
  expect([tryParseJson(text), tryParseObject(text)]).toEqual([value, object]);
});

describe("parseJson", () => {
  it("does not parse more than eight million values (`adapter-bounded-values`)", () => {
    const text = `[${"0,".repeat(8_000_000)}0]`;

    expect(() => parseJson(text)).toThrow(TooManyValuesError);
    expect(parseJson(`[${"0,".repeat(7_999_998)}0]`)).toHaveLength(7_999_999);
    expect(parseJson(JSON.stringify(text))).toBe(text);
  });

  it.each([
    "0",
    "-0",
    "1",
    "-1.5",
    "1e3",
    "1E+3",
    "1e-3",
    "1e400",
    "-1e400",
    "1e-400",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "0.1",
    "0.30000000000000004",
    "0.30000000000000000004",
    "123456789012345678901234567890",
    "1.0",
    "1.50",
    "1e99999999999999999999",
    "3.141592653589793238462643383279502884",
    "5e-324",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
  ])("keeps the number %s", (text) => {
    for (const whole of [
      text,
      `[${text}]`,
      `{"a":${text}}`,
      `{ "a" : ${text} , "b" : [ 1 , ${text} ]\n}`,
    ]) {
      const again = stringifyJson(parseJson(whole));

      expect(jsonEqual(parseJson(again), parseJson(whole))).toBe(true);
      expect(numbersOf(again).map(exact)).toEqual(numbersOf(whole).map(exact));
    }
  });

  it("keeps only numbers that a double cannot carry as text", () => {
    expect(parseJson("[0.30000000000000004,1e3,12345678901234567]")).toEqual([
      0.30000000000000004,
      1000,
      JSON.rawJSON("12345678901234567"),
    ]);
  });

  it("gives what JSON.parse gives if no number is long", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("gives the same value on the exact path as on the native one", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(`[${text},1e400]`)).toEqual([JSON.parse(text), JSON.rawJSON("1e400")]);
      }),
    );
  });

  it.each([
    ["{}"],
    ["[]"],
    ["[[],{}]"],
    [' {"a" : [ ] } '],
    ['{"a":1,"a":2}'],
    ['{"":{"":""}}'],
    ['{"__proto__":{"x":1},"constructor":2}'],
    ['"\\ud800"'],
    ['"\\u0000"'],
    ['["\\\\","\\"","\\\\\\""]'],
    ["true"],
    ["null"],
    ["[null,true,false]"],
  ])("reads %s the same on both paths", (text) => {
    const native = JSON.parse(text);

    expect(parseJson(text)).toStrictEqual(native);
    expect(stringifyJson(parseJson(`[1e400,${text}]`))).toBe(`[1e400,${JSON.stringify(native)}]`);
  });

  it.each([
    "",
    " ",
    "{",
    "[",
    "[1,]",
    "[,1]",
    "{,}",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    "{a:1}",
    "01",
    "1.",
    ".5",
    "+1",
    "1e",
    "-",
    '"',
    '"\u0001"',
    '"\\x"',
    '"\\u12"',
    "tru",
    "nulll",
    "[1 2]",
    "[1]]",
    "1 2",
    "[}",
    "{]",
    "\u00a01",
    '{"a":1 "b":2}',
    "NaN",
    "Infinity",
    "\ufeff1",
  ])("refuses %j as JSON.parse does, on both paths", (text) => {
    for (const broken of [text, `[1e400,${text}]`]) {
      const native = errorOf(() => JSON.parse(broken));

      expect(errorOf(() => parseJson(broken))).toEqual(native);
      expect(native).toBeInstanceOf(SyntaxError);
    }
  });

  it("refuses or accepts any text as JSON.parse does", () => {
    const token = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      "1e400",
      "1",
      "-",
      "null",
      " ",
      "\\",
      '"',
    );
    fc.assert(
      fc.property(fc.array(token), (tokens) => {
        const text = tokens.join("");

        expect(succeeds(() => parseJson(text))).toBe(succeeds(() => JSON.parse(text)));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([10_000, 1_000_000])("carries values nested %i levels deep", (depth) => {
    const text = nested(depth);
    const value = parseJson(text);

    expect(stringifyJson(value) === text).toBe(true);
    expect(jsonEqual(value, parseJson(text.replaceAll(":", " : ")))).toBe(true);
    expect(jsonEqual(value, parseJson(text.replace("993", "992")))).toBe(false);
  });

  it.each([
    ["digits", `1${"0".repeat(9_999_998)}1`],
    ["decimals", `0.${"0".repeat(9_999_998)}1`],
    ["exponent digits with leading zeros", `1e${"0".repeat(9_999_998)}400`],
    ["exponent digits without leading zeros", `1e1${"0".repeat(9_999_998)}`],
  ])("accepts a number of ten million %s", (_, number) => {
    const text = `[${number}]`;

    expect(stringifyJson(parseJson(text)) === text).toBe(true);
  });
});

describe("stringifyJson", () => {
  it("writes lone surrogates as escapes", () => {
    expect(stringifyJson(["\ud800", "\udc00a", "😀"])).toBe('["\\ud800","\\udc00a","😀"]');
  });

  it("writes any parsed value so that it reads back equal", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.bigInt(), (value, integer) => {
        const text = `{"value":${JSON.stringify(value)},"number":${integer},"__proto__":[${integer}e-3]}`;
        const parsed = parseJson(text);

        expect(jsonEqual(parseJson(stringifyJson(parsed)), parsed)).toBe(true);
        expect(numbersOf(stringifyJson(parsed)).at(-1)).toBeDefined();
      }),
    );
  });

  it("writes deep values as it writes shallow ones", () => {
    const leaf = '{"a":[1,"x",null,true,1e400,{}],"b":{},"__proto__":[[]],"c":"\\ud800"}';
    const text = `${"[".repeat(20_000)}${leaf}${"]".repeat(20_000)}`;

    expect(stringifyJson(parseJson(text)) === text).toBe(true);
  });
});

describe("isJsonObject", () => {
  it.each<[unknown, boolean]>([
    [{}, true],
    [[], false],
    [null, false],
    ["", false],
    [parseJson("1e400"), false],
    [parseJson('{"rawJSON":"1e400"}'), true],
    [undefined, false],
  ])("of %j is %s", (value, expected) => {
    expect(isJsonObject(value)).toBe(expected);
  });
});

it("tells a raw number from an object that looks like one", () => {
  expect([parseJson("1e400"), parseJson('{"rawJSON":"1e400"}'), 1].map(isRawNumber)).toEqual([
    true,
    false,
    false,
  ]);
});

function numbersOf(text: string): string[] {
  return [...text.matchAll(/-?\d[\d.eE+-]*/g)].map(([number]) => number);
}

/** The number as a fraction of integers, computed without the code under test. */
function exact(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(-?\d+))?$/.exec(text) ?? [];
  let digits = (whole + fraction).replace(/^0+/, "");
  let power = BigInt(exponent) - BigInt(fraction.length);
  while (digits.endsWith("0")) {
    digits = digits.slice(0, -1);
    power += 1n;
  }
  return digits === "" ? "0" : `${sign}${digits}^${power}`;
}

function errorOf(run: () => JsonValue): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

function succeeds(run: () => JsonValue): boolean {
  return errorOf(run) === undefined;
}
