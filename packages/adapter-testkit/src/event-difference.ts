import { fail } from "node:assert/strict";
import { isJsonObject, type JsonValue, parseJson } from "@pond/canonical";
import { firstDifference } from "./difference.ts";

/** Fails unless both lists of event texts (`eventText`) are equal, and says where they differ. */
export function expectSameEvents(
  expected: readonly string[],
  actual: readonly string[],
  where: string,
): void {
  const count = Math.max(expected.length, actual.length);
  for (let at = 0; at < count; at++) {
    const difference = eventDifference(expected[at], actual[at]);
    if (difference !== undefined) fail(`${where}, event ${at + 1}: ${difference}`);
  }
}

/** The name of an event in a message: its kind and its id. */
export function eventName(text: string): string {
  const { kind, value } = parseEventText(text);
  const id = isJsonObject(value) ? value["id"] : undefined;
  const of = isJsonObject(value) ? value["message_id"] : undefined;
  if (typeof id !== "string") return text.slice(0, 200);
  return `${kind} ${id}${typeof of === "string" ? ` of message ${of}` : ""}`;
}

/** Says in words where two events differ; undefined if they are equal. */
export function eventDifference(
  expected: string | undefined,
  actual: string | undefined,
): string | undefined {
  if (expected === actual) return undefined;
  if (expected === undefined) return `${eventName(actual ?? "")} is there and should not be`;
  if (actual === undefined) return `${eventName(expected)} is missing`;
  const [left, right] = [eventName(expected), eventName(actual)];
  if (left !== right) return `${right} stands in place of ${left}`;
  return `${left}: ${firstDifference(parseEventText(expected).value, parseEventText(actual).value) ?? "its keys are in another order"}`;
}

function parseEventText(text: string): { readonly kind: string; readonly value: JsonValue } {
  const space = text.indexOf(" ");
  const [kind, rest] = [text.slice(0, space), text.slice(space + 1)];
  return { kind, value: rest.startsWith("{") ? parseJson(rest) : rest };
}
