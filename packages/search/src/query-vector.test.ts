import { expect, it } from "vitest";
import { parseQuery } from "./query.ts";
import { textToEmbed } from "./query-vector.ts";

it.each([
  ["all that was said", 'why does "retry backoff" fail?', 'why does "retry backoff" fail?'],
  ["no excluded word", "retry -timeout now", "retry  now"],
  ["no excluded phrase", 'retry -"read timeout" -“write timeout” now', "retry  now"],
  ["words that an excluded one is a part of", "non-test code -test -tester", "non-test code"],
  ["no excluded word typed in pieces", "retry -cafe\u0301 now", "retry  now"],
  ["what looks like a pattern", 'a.c abc -"a.c" ok', "a.c abc  ok"],
])("a model is asked %s", (_, raw, expected) => {
  const text = textToEmbed(raw, parseQuery(raw));

  expect(text.replaceAll(/ +/g, " ")).toBe(expected.replaceAll(/ +/g, " "));
});
