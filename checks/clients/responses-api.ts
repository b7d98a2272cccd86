import { isJsonObject, type JsonObject, type JsonValue } from "@pond/canonical";
import { arrayAt, serverEvents, textsOf, toolNames } from "./model-json.ts";
import type { ModelApi, Reply } from "./model-stub.ts";

/** The Responses API of OpenAI as Codex uses it: always streamed. */
export const responsesApi: ModelApi = {
  isTurn: ({ method, url = "" }) => method === "POST" && url.includes("/responses"),
  history: (body) => arrayAt(body, "input"),
  asked: (body) => ({ text: lastWords(arrayAt(body, "input")), tools: toolNames(body) }),
  answer: (_, reply) =>
    serverEvents([
      { type: "response.created", response: { id: "resp_stub" } },
      { type: "response.output_item.done", item: item(reply) },
      { type: "response.completed", response: { id: "resp_stub", usage } },
    ]),
};

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };

/** The last text sent; empty if a tool has just answered. */
function lastWords(items: readonly JsonValue[]): string {
  const last = items.at(-1);
  if (!isJsonObject(last) || last["role"] !== "user") return "";
  return textsOf(last["content"]).join("\n");
}

function item(reply: Reply): JsonObject {
  if (reply.type === "call") {
    const [name = "", namespace] = reply.name.split(".").reverse();
    return {
      type: "function_call",
      id: `fc_${crypto.randomUUID()}`,
      call_id: `call_${crypto.randomUUID()}`,
      name,
      ...(namespace !== undefined && { namespace }),
      arguments: JSON.stringify(reply.input),
    };
  }
  return {
    type: "message",
    role: "assistant",
    id: `msg_${crypto.randomUUID()}`,
    content: [{ type: "output_text", text: reply.text }],
  };
}
