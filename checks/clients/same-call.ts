import { meaningsOf } from "@pond/adapters";
import {
  isJsonObject,
  type JsonValue,
  jsonEqual,
  parseJson,
  stringifyJson,
  type ToolCallPart,
} from "@pond/canonical";
import type { Origin } from "@pond/canonical/adapter";
import type { HistoryItem } from "./model-history.ts";

const { readTool } = meaningsOf();

/** Whether a model hears a call as it was made, in the form of the client that resumes it. */
export function isSameCall(
  origin: Origin,
  call: ToolCallPart,
  target: Origin,
  item: Extract<HistoryItem, { type: "call" }>,
): boolean {
  const own = readTool?.(origin, call);
  const translated = readTool?.(target, item);
  // No other client has such a tool, so it keeps its name as far as that is legal.
  if (own === undefined) {
    const name = call.name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
    return item.name.includes(name) && holdsAll(item.params, call.params);
  }
  const words = translated?.kind === own.kind ? { ...translated.rest, ...translated.fields } : {};
  const hasFields = Object.entries(own.fields).every(
    ([name, value]) => jsonEqual(words[name] ?? null, value) || holdsAll(item.params, value),
  );
  return hasFields && holdsAll(item.params, own.rest);
}

/** Whether every text and number of a value occurs in another value, in any shape. */
function holdsAll(whole: JsonValue, value: JsonValue): boolean {
  const text = leavesOf(whole).join("\n");
  return leavesOf(value)
    .flatMap((leaf) => leaf.split("\n"))
    .every((line) => text.includes(line.trim()));
}

/** The strings and numbers in a value, including those of JSON inside a string. */
function leavesOf(value: JsonValue): string[] {
  if (typeof value === "string") {
    const inner = innerOf(value);
    return inner === undefined ? [value.toWellFormed()] : leavesOf(inner);
  }
  if (Array.isArray(value)) return value.flatMap((each: JsonValue) => leavesOf(each));
  if (isJsonObject(value)) return Object.values(value).flatMap(leavesOf);
  return typeof value === "boolean" ? [] : [stringifyJson(value)];
}

function innerOf(text: string): JsonValue | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
