import { isJsonObject, type JsonValue, stringifyJson } from "@pond/canonical";
import { arrayAt, textsOf } from "./model-json.ts";

/** One item of a history that a client gives to a model. */
export type HistoryItem =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" }
  | {
      readonly type: "call";
      readonly id: string;
      readonly name: string;
      readonly params: JsonValue;
    }
  | {
      readonly type: "result";
      readonly id: string;
      readonly text: string;
      /** Undefined if the API does not say. */
      readonly isFailure?: boolean;
    };

/** Reads a history in the form of the Messages API. */
export function historyFromMessages(messages: readonly JsonValue[]): HistoryItem[] {
  return messages.flatMap((message) => {
    const content = isJsonObject(message) ? (message["content"] ?? null) : null;
    return typeof content === "string"
      ? [{ type: "text", text: content } as const]
      : (Array.isArray(content) ? content : []).flatMap(itemsOfBlock);
  });
}

function itemsOfBlock(block: JsonValue): HistoryItem[] {
  if (!isJsonObject(block)) return [];
  const { type, text, id, name, input = null, tool_use_id, content, is_error } = block;
  switch (type) {
    case "text":
      return [{ type, text: String(text) }];
    case "image":
      return [{ type }];
    case "tool_use":
      return [{ type: "call", id: String(id), name: String(name), params: input }];
    case "tool_result":
      return [
        {
          type: "result",
          id: String(tool_use_id),
          text: textsOf(content).join("\n"),
          isFailure: is_error === true,
        },
      ];
    default:
      return [];
  }
}

/** Reads a history in the form of the Responses API. */
export function historyFromItems(items: readonly JsonValue[]): HistoryItem[] {
  return items.flatMap((item): HistoryItem[] => {
    if (!isJsonObject(item)) return [];
    const { type, call_id, name, arguments: params, input, output = null } = item;
    const id = String(call_id);
    switch (type) {
      case "message":
        return arrayAt(item, "content").flatMap(itemsOfContent);
      case "function_call":
        return [{ type: "call", id, name: String(name), params: params ?? null }];
      case "custom_tool_call":
        return [{ type: "call", id, name: String(name), params: input ?? null }];
      case "function_call_output":
      case "custom_tool_call_output":
        return [{ type: "result", id, text: textsOf(output).join("\n") }];
      default:
        return [];
    }
  });
}

function itemsOfContent(content: JsonValue): HistoryItem[] {
  if (!isJsonObject(content)) return [];
  if (content["type"] === "input_image") return [{ type: "image" }];
  return textsOf([content]).map((text) => ({ type: "text", text }));
}

/** What Codex shows to a human of a session. */
export function historyFromThread(items: readonly JsonValue[]): HistoryItem[] {
  return items.flatMap((item) => {
    if (!isJsonObject(item)) return [];
    const texts = [...textsOf([item]), ...textsOf(item["content"])];
    return texts.map((text) => ({ type: "text", text }) as const);
  });
}

/** A session exported by opencode. */
export function historyFromExport(exported: JsonValue): HistoryItem[] {
  const messages = isJsonObject(exported) ? arrayAt(exported, "messages") : [];
  return messages.flatMap((message) =>
    isJsonObject(message) ? arrayAt(message, "parts").flatMap(itemsOfPart) : [],
  );
}

function itemsOfPart(part: JsonValue): HistoryItem[] {
  if (!isJsonObject(part)) return [];
  const { type, text, callID, tool, mime } = part;
  if (type === "text") return [{ type, text: String(text) }];
  if (type === "file" && String(mime).startsWith("image/")) return [{ type: "image" }];
  if (type !== "tool") return [];
  const state = isJsonObject(part["state"]) ? part["state"] : {};
  const { status, input = null, output, error, metadata } = state;
  const isFailure = status === "error";
  const kept = isJsonObject(metadata) ? stringifyJson(metadata) : "";
  const answer = String((isFailure ? error : output) ?? kept);
  return [
    { type: "call", id: String(callID), name: String(tool), params: input },
    { type: "result", id: String(callID), text: answer, isFailure },
  ];
}

/** What pi and omp give to a model. */
export function historyFromPi(messages: readonly JsonValue[]): HistoryItem[] {
  return messages.flatMap((message): HistoryItem[] => {
    if (!isJsonObject(message)) return [];
    const { role, content, toolCallId, isError } = message;
    if (role === "toolResult") {
      const text = textsOf(content).join("\n");
      return [{ type: "result", id: String(toolCallId), text, isFailure: isError === true }];
    }
    if (typeof content === "string") return [{ type: "text", text: content }];
    return arrayAt(message, "content").flatMap((block): HistoryItem[] => {
      if (!isJsonObject(block)) return [];
      const { type, id, name, arguments: params = null } = block;
      if (type === "image") return [{ type }];
      if (type === "text") return [{ type, text: String(block["text"]) }];
      if (type !== "toolCall") return [];
      return [{ type: "call", id: String(id), name: String(name), params }];
    });
  });
}
