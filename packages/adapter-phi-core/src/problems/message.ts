import type { JsonObject, JsonValue } from "@pond/canonical";
import { isJsonObject } from "@pond/canonical";
import { type Fields, fieldsOf, type Report } from "./fields.ts";
import { checkUsage } from "./usage.ts";

const stopReasons = [
  "stop",
  "length",
  "toolUse",
  "error",
  "aborted",
  "maxTurns",
  "userStop",
  "handoff",
  "guardRail",
  "contextCompacted",
  "paused",
];

/** One message of a loop; `open` holds the calls that have no answer yet. */
export function checkMessage(
  message: JsonObject,
  place: string,
  report: Report,
  open: Set<string>,
): void {
  const fields = fieldsOf(message, place, report);
  const { role } = message;
  switch (role) {
    case "user":
      checkContent(fields, place, report, ["text", "image"]);
      fields.count("timestamp");
      break;
    case "assistant":
      for (const id of checkContent(fields, place, report, Object.keys(blockTexts))) open.add(id);
      fields.oneOf("stopReason", stopReasons);
      fields.text("model");
      fields.text("provider");
      checkUsage(message["usage"], `${place}.usage`, report);
      fields.count("timestamp");
      break;
    case "toolResult":
      fields.text("toolCallId");
      fields.text("toolName");
      checkContent(fields, place, report, ["text", "image"]);
      fields.flag("isError");
      fields.count("timestamp");
      if (!open.delete(String(message["toolCallId"]))) report(place, "answers no open call");
      break;
    default:
      fields.text("role");
      fields.text("kind");
      if (!("data" in message)) report(`${place}.data`, "is missing");
  }
}

const blockTexts: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  thinking: ["thinking"],
  toolCall: ["id", "name"],
};

/** @returns The ids of the calls in it. */
function checkContent(
  fields: Fields,
  place: string,
  report: Report,
  known: readonly string[],
): readonly string[] {
  return fields.objects("content").flatMap((block, index) => {
    const at = `${place}.content[${index}]`;
    const { type, id } = block;
    if (typeof type !== "string" || !known.includes(type)) {
      report(at, `is a block of type ${String(type)}`);
      return [];
    }
    const inner = fieldsOf(block, at, report);
    for (const key of blockTexts[type] ?? []) inner.text(key);
    if (type !== "toolCall") return [];
    if (!isArguments(block["arguments"])) report(`${at}.arguments`, "is no object");
    return [String(id)];
  });
}

/** The library takes any JSON; providers take an object only. */
function isArguments(value: JsonValue | undefined): boolean {
  return isJsonObject(value);
}
