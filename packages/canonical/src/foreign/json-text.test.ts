import { expect, it } from "vitest";
import { holdsLoneSurrogate, wellFormedJson } from "./json-text.ts";

it.each([
  ["a lone half", "a\ud800b", '"a\\ufffdb"'],
  ["a half behind a backslash", "\\\udfff", '"\\\\\\ufffd"'],
  ["a pair", "\ud83e\uddf5", '"\ud83e\uddf5"'],
  ["words that look like an escape", "\\ud800", '"\\\\ud800"'],
  ["a line break", "\n", '"\\n"'],
])("writes %s as JSON without lone surrogates", (_, text, written) => {
  expect(wellFormedJson(text)).toBe(written);
  expect(holdsLoneSurrogate(written)).toBe(false);
});

it.each([
  ["a lone half", '"\\ud800"', true],
  ["in capitals", '"\\uDFFF."', true],
  ["an escaped pair", '"\\ud83e\\uddf5"', false],
  ["halves with a backslash between", '"\\ud83e\\\\\\uddf5"', true],
  ["an escaped backslash before it", '"\\\\ud800"', false],
])("tells whether JSON text holds a lone surrogate: %s", (_, json, holds) => {
  expect(holdsLoneSurrogate(json)).toBe(holds);
});
