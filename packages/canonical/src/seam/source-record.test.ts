import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonObject, parseJson, stringifyJson } from "../json.ts";
import { jsonEqual } from "../json-equal.ts";
import { fromRfc3339 } from "../timestamp.ts";
import { ContentIds } from "./derived.ts";
import { type Extracted, unseal } from "./extracted.ts";
import { openRecord, type SourceRecord, truncatedRecord } from "./source-record.ts";

const at = { adapter: "demo", uri: "a.jsonl", record: 7 };
const open = (text: string): SourceRecord => openRecord(at, parseJson(text));
const restOf = (record: SourceRecord): string => stringifyJson(unseal(record.rest()));
const opened = <T>(value: Extracted<T> | undefined): T | undefined => value && unseal(value);

it("lists its fields in the order of the source", () => {
  expect(open('{"b":1,"__proto__":2,"a":3}').keys()).toEqual(["b", "__proto__", "a"]);
});

describe("a field read", () => {
  it.each<[string, string, (record: SourceRecord) => unknown, unknown, string]>([
    ["a string", '{"a":"x","b":1}', (r) => opened(r.string("a")), "x", '{"b":1}'],
    [
      "a string although it is a number",
      '{"a":1}',
      (r) => opened(r.string("a")),
      undefined,
      '{"a":1}',
    ],
    ["an id", '{"a":"x"}', (r) => opened(r.id("a")), "x", "{}"],
    ["an id although it is empty", '{"a":""}', (r) => opened(r.id("a")), undefined, '{"a":""}'],
    [
      "an id although it is a lone surrogate",
      '{"a":"\\ud800"}',
      (r) => opened(r.id("a")),
      undefined,
      '{"a":"\\ud800"}',
    ],
    ["a boolean", '{"a":false}', (r) => opened(r.boolean("a")), false, "{}"],
    ["a negated boolean", '{"a":false}', (r) => opened(r.negated("a")), true, "{}"],
    ["a given text", '{"a":"x","b":1}', (r) => opened(r.is("a", "x")), true, '{"b":1}'],
    [
      "a given text although it is another",
      '{"a":"y"}',
      (r) => opened(r.is("a", "x")),
      false,
      '{"a":"y"}',
    ],
    [
      "a group of fields",
      '{"a":1,"b":2,"c":3}',
      (r) => opened(r.fields("a", "c", "d")),
      { a: 1, c: 3 },
      '{"b":2}',
    ],
    [
      "a data URL",
      '{"a":"data:t/p;base64,YQ==","t":"t/p"}',
      (r) => opened(r.dataUrl("a", "t")),
      { type: "bytes", bytes: Buffer.from("a") },
      '{"t":"t/p"}',
    ],
    [
      "a data URL of another media type",
      '{"a":"data:t/p;base64,YQ==","t":"t/q"}',
      (r) => opened(r.dataUrl("a", "t")),
      { type: "url", url: "data:t/p;base64,YQ==" },
      '{"t":"t/q"}',
    ],
    [
      "a data URL in another base64 form",
      '{"a":"data:t/p;base64,YQ","t":"t/p"}',
      (r) => opened(r.dataUrl("a", "t")),
      { type: "url", url: "data:t/p;base64,YQ" },
      '{"t":"t/p"}',
    ],
    [
      "a data URL although it is a file address",
      '{"a":"file:///b"}',
      (r) => opened(r.dataUrl("a", "t")),
      { type: "url", url: "file:///b" },
      "{}",
    ],
    [
      "a boolean although it is null",
      '{"a":null}',
      (r) => opened(r.boolean("a")),
      undefined,
      '{"a":null}',
    ],
    [
      "a negated boolean although it is null",
      '{"a":null}',
      (r) => opened(r.negated("a")),
      undefined,
      '{"a":null}',
    ],
    ["a JSON value", '{"a":[1],"b":2}', (r) => opened(r.json("a")), [1], '{"b":2}'],
    ["a JSON value that is null", '{"a":null}', (r) => opened(r.json("a")), null, "{}"],
    ["a JSON value although it is missing", "{}", (r) => opened(r.json("a")), undefined, "{}"],
    [
      "a time in pond's own form",
      '{"a":"2026-01-01T00:00:00.000Z"}',
      (r) => opened(r.timestamp("a")),
      fromRfc3339("2026-01-01T00:00:00Z"),
      "{}",
    ],
    [
      "a time in another form, which also stays,",
      '{"a":"2026-01-01T01:00:00+01:00"}',
      (r) => opened(r.timestamp("a")),
      fromRfc3339("2026-01-01T00:00:00Z"),
      '{"a":"2026-01-01T01:00:00+01:00"}',
    ],
    [
      "a time although it is none",
      '{"a":"today"}',
      (r) => opened(r.timestamp("a")),
      undefined,
      '{"a":"today"}',
    ],
    [
      "milliseconds",
      '{"a":1767225600001}',
      (r) => opened(r.milliseconds("a")),
      fromRfc3339("2026-01-01T00:00:00.001Z"),
      "{}",
    ],
    [
      "milliseconds with a fraction, which also stay,",
      '{"a":1767225600001.25}',
      (r) => opened(r.milliseconds("a")),
      fromRfc3339("2026-01-01T00:00:00.001250Z"),
      '{"a":1767225600001.25}',
    ],
    [
      "milliseconds although they are past every calendar",
      '{"a":1e+300}',
      (r) => opened(r.milliseconds("a")),
      undefined,
      '{"a":1e+300}',
    ],
    [
      "seconds",
      '{"a":1767225600}',
      (r) => opened(r.seconds("a")),
      fromRfc3339("2026-01-01T00:00:00Z"),
      "{}",
    ],
    [
      "seconds with a fraction, which also stay,",
      '{"a":1767225600.123457}',
      (r) => opened(r.seconds("a")),
      fromRfc3339("2026-01-01T00:00:00.123457Z"),
      '{"a":1767225600.123457}',
    ],
    [
      "seconds before the epoch, which also stay,",
      '{"a":-0.5}',
      (r) => opened(r.seconds("a")),
      fromRfc3339("1969-12-31T23:59:59.500Z"),
      '{"a":-0.5}',
    ],
    [
      "seconds although they are past every calendar",
      '{"a":1767225600001}',
      (r) => opened(r.seconds("a")),
      undefined,
      '{"a":1767225600001}',
    ],
    [
      "base64",
      '{"a":"aGk="}',
      (r) => opened(r.base64("a")),
      { type: "bytes", bytes: Buffer.from("hi") },
      "{}",
    ],
    [
      "base64 in another form",
      '{"a":"aGk"}',
      (r) => opened(r.base64("a")),
      { type: "base64", text: "aGk" },
      "{}",
    ],
    [
      "a URL",
      '{"a":"https://a"}',
      (r) => opened(r.url("a")),
      { type: "url", url: "https://a" },
      "{}",
    ],
    [
      "a record within the record",
      '{"a":{"b":"x","c":1}}',
      (r) => opened(r.record("a")?.string("b")),
      "x",
      '{"a":{"c":1}}',
    ],
    ["a record although it is an array", '{"a":[]}', (r) => r.record("a"), undefined, '{"a":[]}'],
    [
      "a list of records",
      '{"a":[{"b":"x"},{"b":"y"}],"c":1}',
      (r) => r.records("a")?.map((element) => opened(element.string("b"))),
      ["x", "y"],
      '{"c":1}',
    ],
    [
      "a list of records although it is a text",
      '{"a":"x"}',
      (r) => r.records("a"),
      undefined,
      '{"a":"x"}',
    ],
    [
      "a list of records although it holds a number",
      '{"a":[{},1]}',
      (r) => r.records("a"),
      undefined,
      '{"a":[{},1]}',
    ],
    ["a value to peek at, which also stays,", '{"a":"x"}', (r) => r.peek("a"), "x", '{"a":"x"}'],
    [
      "a value to peek at although its name is inherited",
      "{}",
      (r) => r.peek("constructor"),
      undefined,
      "{}",
    ],
    [
      "a string named `__proto__`",
      '{"__proto__":"x"}',
      (r) => opened(r.string("__proto__")),
      "x",
      "{}",
    ],
  ])("as %s gives its value, if valid, and leaves the rest", (_, text, read, expected, rest) => {
    const record = open(text);

    expect(read(record)).toEqual(expected);
    expect(restOf(record)).toBe(rest);
  });

  it.each([
    ["missing", "{}"],
    ["a number", '{"id":1}'],
    ["null", '{"id":null}'],
  ])("names the place if a required string is %s (`model-no-synthesis`)", (_, text) => {
    expect(() => open(text).requireString("id")).toThrow('demo: a.jsonl:7: no string at "id"');
  });

  it("names the place if a required time is not a time", () => {
    expect(() => open('{"at":"today"}').requireTimestamp("at")).toThrow(
      'demo: a.jsonl:7: no time at "at"',
    );
  });

  it("names the place if a required value is missing", () => {
    expect(() => open("{}").requireJson("a")).toThrow('demo: a.jsonl:7: no value at "a"');
  });
});

describe("the rest of a record", () => {
  it("makes up the whole record together with the fields taken (`model-lossless-projection`)", () => {
    const key = fc.constantFrom("a", "b", "__proto__", "constructor", "");
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), fc.array(key), (fields, taken) => {
        const text = `{${Object.entries(fields)
          .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
          .join(",")}}`;
        const record = open(text);

        const read = new Map(taken.map((name) => [name, opened(record.json(name))] as const));
        const again: JsonObject = Object.fromEntries([
          ...Object.entries(unseal(record.rest())),
          ...[...read].flatMap(([name, value]) =>
            value === undefined ? [] : [[name, value] as const],
          ),
        ]);

        expect(jsonEqual(again, parseJson(text))).toBe(true);
      }),
    );
  });

  it("keeps fields of any depth and length", () => {
    const text = `{"a":${"[".repeat(100_000)}1e400${"]".repeat(100_000)},"b":"${"x".repeat(1000)}"}`;

    expect(restOf(open(text)) === text).toBe(true);
  });
});

describe("openRecord", () => {
  it.each(["[]", "null", '"text"', "1", "1e400"])("refuses %s and names its place", (text) => {
    expect(() => open(text)).toThrow("demo: a.jsonl:7: not a JSON object");
  });

  it("refuses undefined", () => {
    expect(() => openRecord(at, undefined)).toThrow("not a JSON object");
  });
});

describe("ContentIds (`lance-deterministic-pk`)", () => {
  it("gives equal records different ids, numbered by occurrence", () => {
    const ids = new ContentIds();
    const next = (text: string) => unseal(ids.next(open(text)));

    const [first, other, second] = [next('{"a":1}'), next('{"a":2}'), next('{"a":1.0}')];

    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(`${first}.1`);
    expect(other).not.toBe(first);
  });

  it("also hashes fields that were taken", () => {
    const [whole, read] = [open('{"a":"x"}'), open('{"a":"x"}')];
    read.string("a");

    expect(read.digest()).toBe(whole.digest());
  });
});

it("makes a sentinel record for a record that is too large (`adapter-bounded-values`)", () => {
  expect(unseal(truncatedRecord(at, 300_000_000).whole())).toEqual({
    pond_truncated: { bytes: 300_000_000 },
  });
});
