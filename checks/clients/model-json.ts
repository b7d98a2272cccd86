import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";

/** The array at a key; empty if there is none. */
export function arrayAt(value: JsonObject, key: string): readonly JsonValue[] {
  const found = value[key];
  return Array.isArray(found) ? found : [];
}

/** The texts of a content that is a string or a list of blocks, in order. */
export function textsOf(content: JsonValue | undefined): string[] {
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: JsonValue) => {
    const text = isJsonObject(block) ? block["text"] : undefined;
    return typeof text === "string" ? [text] : [];
  });
}

/** The tools that a request offers. A tool in a namespace has the namespace before its name. */
export function toolNames(body: JsonObject): string[] {
  return arrayAt(body, "tools").flatMap((tool) => {
    if (!isJsonObject(tool)) return [];
    const { name } = tool;
    const inside = toolNames(tool).map((inner) => `${name}.${inner}`);
    return typeof name === "string" ? [name, ...inside] : inside;
  });
}

/** Events as a server sends them, one after the other. */
export function serverEvents(events: readonly JsonObject[]): string {
  return events
    .map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}
