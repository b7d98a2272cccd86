import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { arrayAt, serverEvents, textsOf, toolNames } from "./model-json.ts";
import type { ModelApi, Reply } from "./model-stub.ts";

/** The Messages API of Anthropic. */
export const messagesApi: ModelApi = {
  isTurn: ({ method, url = "" }) =>
    method === "POST" && url.includes("/messages") && !url.includes("count_tokens"),
  history: (body) => arrayAt(body, "messages"),
  asked: (body) => ({ text: lastWords(arrayAt(body, "messages")), tools: toolNames(body) }),
  answer: (body, reply) => (body["stream"] ? streamed(body, reply) : whole(body, reply)),
};

/** The text sent since the model's last answer; empty if tools have just answered. */
function lastWords(messages: readonly JsonValue[]): string {
  const objects = messages.filter(isJsonObject);
  const since = objects.slice(objects.findLastIndex(({ role }) => role === "assistant") + 1);
  // A client may put its own reminders after the prompt.
  const said = since.filter(({ role }) => role === "user");
  const blocks = said.flatMap((message) => arrayAt(message, "content"));
  if (blocks.some((block) => isJsonObject(block) && block["type"] === "tool_result")) return "";
  return said.flatMap(({ content }) => textsOf(content)).join("\n");
}

function message(body: JsonObject): JsonObject {
  return {
    // A client takes messages with the same id for one message.
    id: `msg_${crypto.randomUUID()}`,
    type: "message",
    role: "assistant",
    model: body["model"] ?? "stub",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

function block(reply: Reply): JsonObject {
  if (reply.type === "text") return { type: "text", text: reply.text };
  return { type: "tool_use", id: `toolu_${crypto.randomUUID()}`, ...wanted(reply) };
}

function wanted({ name, input }: Extract<Reply, { type: "call" }>): JsonObject {
  return { name, input };
}

function stopReason({ type }: Reply): string {
  return type === "text" ? "end_turn" : "tool_use";
}

function whole(body: JsonObject, reply: Reply): string {
  const content = [block(reply)];
  return JSON.stringify({ ...message(body), content, stop_reason: stopReason(reply) });
}

function streamed(body: JsonObject, reply: Reply): string {
  const [start, delta] =
    reply.type === "text"
      ? [
          { type: "text", text: "" },
          { type: "text_delta", text: reply.text },
        ]
      : [
          { ...block(reply), input: {} },
          { type: "input_json_delta", partial_json: JSON.stringify(reply.input) },
        ];
  const ending = { stop_reason: stopReason(reply), stop_sequence: null };
  return serverEvents([
    { type: "message_start", message: message(body) },
    { type: "content_block_start", index: 0, content_block: start },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: ending, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ]);
}
