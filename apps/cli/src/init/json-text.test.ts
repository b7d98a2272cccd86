import { describe, expect, it } from "vitest";
import { parseJsonText, SettingsTextError, withEntry, withoutEntry } from "./json-text.ts";

const path = ["mcp", "pond"] as const;
const value = { command: ["pond", "mcp"] };

it.each([
  ['{\n  "a": 1\n  "b": 2\n}', 3],
  ['{\n  "a": [1, 2\n', 2],
  ["{\n  'a': 1 }", 2],
  ["", 1],
])("names the line of the mistake in %j", (text, line) => {
  expect(() => parseJsonText(text)).toThrow(`is not JSON (line ${line})`);
});

describe("withEntry", () => {
  it.each([
    ["", '{\n  "mcp": {\n    "pond": {\n      "a": 1\n    }\n  }\n}\n'],
    ["{}", '{\n  "mcp": {\n    "pond": {\n      "a": 1\n    }\n  }\n}'],
    ['{\n\t"x": 1\n}\n', '{\n\t"x": 1,\n\t"mcp": {\n\t\t"pond": {\n\t\t\t"a": 1\n\t\t}\n\t}\n}\n'],
    [
      '{\n  // mine\n  "x": 1, // one\n}\n',
      '{\n  // mine\n  "x": 1, // one\n  "mcp": {\n    "pond": {\n      "a": 1\n    }\n  },\n}\n',
    ],
    [
      '{\n  "mcp": {\n    "o": {} // last\n  }, /* } */\n  "n": 9007199254740993\n}',
      '{\n  "mcp": {\n    "o": {}, // last\n    "pond": {\n      "a": 1\n    }\n  }, /* } */\n  "n": 9007199254740993\n}',
    ],
    [
      '{\n  "mcp": {\n    // none yet\n  }\n}',
      '{\n  "mcp": {\n    "pond": {\n      "a": 1\n    }\n  \n    // none yet\n  }\n}',
    ],
    [
      '{\r\n  "x": 1\r\n}\r\n',
      '{\r\n  "x": 1,\r\n  "mcp": {\r\n    "pond": {\r\n      "a": 1\r\n    }\r\n  }\r\n}\r\n',
    ],
    [
      '\ufeff{"u": "{\\"mcp\\": //"}',
      '\ufeff{"u": "{\\"mcp\\": //",\n  "mcp": {\n    "pond": {\n      "a": 1\n    }\n  }}',
    ],
  ])("inserts the entry into %j", (before, after) => {
    expect(withEntry(before, path, { a: 1 })).toBe(after);
  });

  it.each([
    "[]",
    "{",
    '{"a" 1}',
    '{"mcp": []}',
    "{'a': 1}",
    '{"a": 1} x',
    '{"mcp": {}, "mcp": {}}',
  ])("refuses %j", (text) => {
    expect(() => withEntry(text, path, value)).toThrow(SettingsTextError);
  });
});

describe("withoutEntry", () => {
  it.each([
    "{}",
    '{\n  // mine\n  "x": 1, // one\n}\n',
    '{ "mcp": { "a": {}, "b": 2 } }',
    '{ "mcp": { "a": {} /* a */, }, "z": [1, {}, ], }',
  ])("removes from %j the entry that was inserted", (text) => {
    const put = withEntry(text, path, value);

    const taken = parseJsonText(withoutEntry(put, path));

    expect(taken).toEqual({ mcp: {}, ...Object(parseJsonText(text)) });
  });

  it.each([
    ['{ "mcp": { "pond": 1, "b": 2 } }', '{ "mcp": { "b": 2 } }'],
    ['{ "mcp": { "a": 1, "pond": 1 } }', '{ "mcp": { "a": 1 } }'],
    ['{ "mcp": { "a": 1, "pond": 1, "b": 2 } }', '{ "mcp": { "a": 1, "b": 2 } }'],
    [
      '{\n  "mcp": {\n    "a": 1, // mine\n    "pond": 1 // theirs\n  }\n}',
      '{\n  "mcp": {\n    "a": 1 // mine\n     // theirs\n  }\n}',
    ],
    [
      '{\r\n  "mcp": {\r\n    "a": 1, // mine\r\n    "pond": 1,\r\n  }\r\n}',
      '{\r\n  "mcp": {\r\n    "a": 1, // mine\r\n  }\r\n}',
    ],
    ['{ "mcp": {\n// mine\n"pond": 1 } }', '{ "mcp": {\n// mine\n } }'],
    ['{ "mcp": { /* mine */ "pond": 1, "b": 2 } }', '{ "mcp": { /* mine */  "b": 2 } }'],
  ])("removes the entry from %j", (before, after) => {
    expect(withoutEntry(before, path)).toBe(after);
  });

  it.each([
    ['{\n  "theme": "x"\n}\n', true],
    ['{\n  // mine\n  "theme": "x", // one\n}\n', true],
    ["{}\n", false],
  ])("removes, from %j too, the object that was made for the entry", (before, isLast) => {
    const taken = withoutEntry(withEntry(before, path, value), path, true);

    expect(parseJsonText(taken)).toEqual(parseJsonText(before));
    expect(taken.includes("mine")).toBe(before.includes("mine"));
    if (isLast) expect(taken).toBe(before);
  });

  it.each(['{ "mcp": { "pond": 1, "b": 2 } }', '{ "mcp": { /* mine */ "pond": 1 } }'])(
    "keeps the object of %j, which holds something else as well",
    (before) => {
      const taken = withoutEntry(before, path, true);

      expect(parseJsonText(taken)).toEqual(parseJsonText(withoutEntry(before, path)));
    },
  );

  it("says that the entry does not exist", () => {
    expect(() => withoutEntry('{ "mcp": {} }', path)).toThrow("has no mcp.pond");
  });
});
