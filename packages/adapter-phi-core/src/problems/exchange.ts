import { isJsonObject, type JsonValue } from "@pond/canonical";
import { plainText } from "@pond/canonical/foreign";
import type { Report } from "./shape.ts";

/**
 * What the library loads but a provider refuses once the messages of a loop are sent to one: a call
 * without an answer, an answer without a call, parameters that are not an object.
 */
export function checkExchange(loop: JsonValue, place: string, report: Report): void {
  const messages = isJsonObject(loop) ? listOf(loop["messages"]) : [];
  const open = new Set<JsonValue>();
  for (const [index, message] of messages.entries()) {
    const at = `${place}.messages[${index}]`;
    if (!isJsonObject(message)) continue;
    if (message["role"] === "toolResult" && !open.delete(message["toolCallId"] ?? null)) {
      report(at, "answers no open call");
    }
    for (const [number, block] of listOf(message["content"]).entries()) {
      if (!isJsonObject(block) || block["type"] !== "toolCall") continue;
      open.add(block["id"] ?? null);
      if (!isJsonObject(block["arguments"])) {
        report(`${at}.content[${number}].arguments`, "is no object");
      }
    }
  }
  for (const id of open) report(place, `leaves the call ${plainText(id)} without an answer`);
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
