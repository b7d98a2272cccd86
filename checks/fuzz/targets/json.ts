import { ok, strictEqual } from "node:assert/strict";
import { type JsonValue, jsonEqual, parseJson, stringifyJson } from "@pond/canonical";
import type { Random } from "../../chaos/random.ts";
import { mutateJson } from "../mutate-json.ts";
import { oddText } from "../odd-values.ts";
import type { Input, Target } from "../target.ts";

const seeds = [
  '{"a":[1,2.5,-0,1e3,{"b":null}],"c":"\\u00e9\\ud83d\\ude00","__proto__":{"x":1}}',
  "[9007199254740993,0.1,1e400,-1E-400,123456789012345678901234567890]",
  '"plain"',
  ' { "k" : [ true , false ] , "k" : "\\\\\\"" } ',
];

const pieces = [
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  "\\u",
  "0",
  "-",
  ".",
  "e",
  "E",
  "+",
  "\0",
  " ",
];

/** The lossless JSON layer. It accepts and refuses the same as `JSON.parse`, and loses nothing. */
export const json: Target = {
  name: "json",
  sources: /packages\/canonical\/src\/(?:json|raw-number|set-field)/,
  seeds: () => seeds.map((text) => new Map([["", Buffer.from(text)]])),
  mutate: (input, random) => new Map([["", Buffer.from(mutated(textOf(input), random))]]),
  run: async (input) => check(textOf(input)),
};

function textOf(input: Input): string {
  return String(input.get(""));
}

function mutated(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  switch (random.below(6)) {
    case 0:
      return text.slice(0, at) + (pieces[random.below(pieces.length)] ?? "") + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random.below(3));
    case 2:
      return text.slice(0, at) + oddText(random) + text.slice(at);
    case 3:
      return `[${text},${oddText(random)}]`;
    default:
      return mutateJson(text, random);
  }
}

function check(text: string): void {
  const native = attempt(() => JSON.parse(text));
  const exact = attempt(() => parseJson(text));
  strictEqual(exact.isOk, native.isOk, "takes what JSON.parse takes, and nothing else");
  if (!exact.isOk) {
    ok(exact.error instanceof SyntaxError, `throws ${String(exact.error)}`);
    return;
  }
  if (!native.isOk) return;
  const value = exact.value as JsonValue;
  const written = stringifyJson(value);
  ok(written.isWellFormed(), "writes valid Unicode");
  const again = parseJson(written);
  ok(jsonEqual(value, again), "reads back what it wrote");
  strictEqual(stringifyJson(again), written, "writes the same again");
  // As doubles, the numbers equal those of JSON.parse. Only JSON.parse has two zeros.
  if (text.length < 10_000) {
    strictEqual(JSON.stringify(JSON.parse(written)), JSON.stringify(native.value));
  }
}

type Attempt =
  | { readonly isOk: true; readonly value: unknown }
  | { readonly isOk: false; readonly error: unknown };

function attempt(run: () => unknown): Attempt {
  try {
    return { isOk: true, value: run() };
  } catch (error) {
    return { isOk: false, error };
  }
}
