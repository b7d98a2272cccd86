import { type JsonValue, parseJson } from "@pond/canonical";
import fc from "fast-check";
import { markedText } from "./texts.ts";

/** JSON that parsers lose or stumble over. */
const hardValues: readonly JsonValue[] = [
  "9007199254740993",
  "1e400",
  "-0.10000000000000000001",
  '{"__proto__":{"polluted":true},"constructor":null}',
  '{"":"","\\ud800":"\\udfff"}',
  `${"[".repeat(60)}1${"]".repeat(60)}`,
  '[null,true,{},[],"",0]',
].map(parseJson);

const hardValue: fc.Arbitrary<JsonValue> = fc.constantFrom(...hardValues);

/** A call of a tool: its name, and what it is given. */
export type CallDraft = { readonly name: string; readonly params: JsonValue };

const fields = fc.record({ text: markedText, other: hardValue });

/**
 * Calls of tools that `sampleMeanings` knows, of unknown tools, and with parameters that fit no
 * tool.
 */
export const call: fc.Arbitrary<CallDraft> = fc.oneof(
  markedText.map((path) => ({ name: "read_file", params: { path } })),
  fields.map(({ text, other }) => ({
    name: "read_file",
    params: { path: text, offset: 3, other },
  })),
  markedText.map((command) => ({ name: "run", params: { command, timeout_ms: 5000 } })),
  markedText.map((text) => ({ name: "replace", params: { path: "a.ts", from: text, to: "" } })),
  fields.map(({ text, other }) => ({ name: "mcp__loom__weave", params: { text, other } })),
  fields.map(({ text, other }) => ({ name: "odd tool/π", params: [text, other] })),
  markedText.map((params) => ({ name: "long".repeat(40), params })),
  hardValue.map((params) => ({ name: "", params })),
);

/** Results as clients write them (text, blocks, an object), and some that no client writes. */
export const result: fc.Arbitrary<JsonValue> = fc.oneof(
  markedText,
  markedText.map((text) => [{ type: "text", text }]),
  markedText.map((text) => [{ type: "text", text }, image]),
  markedText.map((output) => ({ output })),
  fields.map(({ text, other }) => ({ stdout: text, exit_code: 1, other })),
  fc.constantFrom<JsonValue>("", null, [], {}, 0, false),
  hardValue,
);

const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
};
