import { expect, it } from "vitest";
import { hasLoneSurrogate, wellFormedJson } from "./json-text.ts";

it.each([
  ["a lone surrogate", "a\ud800b", '"a\\ufffdb"'],
  ["a lone surrogate after a backslash", "\\\udfff", '"\\\\\\ufffd"'],
  ["a surrogate pair", "\ud83e\uddf5", '"\ud83e\uddf5"'],
  ["text that looks like an escape", "\\ud800", '"\\\\ud800"'],
  ["a line break", "\n", '"\\n"'],
])("writes %s as JSON without lone surrogates", (_, text, written) => {
  expect(wellFormedJson(text)).toBe(written);
  expect(hasLoneSurrogate(written)).toBe(false);
});

it.each([
  ["a lone surrogate", '"\\ud800"', true],
  ["a lone surrogate in upper-case digits", '"\\uDFFF."', true],
  ["an escaped pair", '"\\ud83e\\uddf5"', false],
  ["two surrogates with a backslash between", '"\\ud83e\\\\\\uddf5"', true],
  ["an escape whose backslash is escaped", '"\\\\ud800"', false],
])("tells whether JSON text holds a lone surrogate: %s", (_, json, holds) => {
  expect(hasLoneSurrogate(json)).toBe(holds);
});
