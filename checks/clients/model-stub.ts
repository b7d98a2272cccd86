import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@pond/canonical";
import { messagesApi } from "./messages-api.ts";
import { responsesApi } from "./responses-api.ts";

/** The answer of the stand-in: a text, or a tool call. */
export type Reply =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly input: JsonObject };

/** The last text sent to the model, and the tools that it may call. */
export type ModelRequest = { readonly text: string; readonly tools: readonly string[] };

/** A model API on the wire. */
export type ModelApi = {
  /** True for a request that asks the model to continue. */
  readonly isTurn: (request: IncomingMessage) => boolean;
  /** The conversation as the client sent it. */
  readonly history: (body: JsonObject) => readonly JsonValue[];
  readonly asked: (body: JsonObject) => ModelRequest;
  readonly answer: (body: JsonObject, reply: Reply) => string;
};

/** A loopback stand-in for the model APIs. It keeps the requests that it receives. */
export type ModelStub = {
  readonly url: string;
  /** The conversation of each request, oldest first. */
  readonly requests: readonly (readonly JsonValue[])[];
  /** The models that were requested. */
  readonly models: Set<string>;
  close(): Promise<void>;
};

export const stubAnswer = "stub-answer";

const apis: readonly ModelApi[] = [messagesApi, responsesApi];

/** Starts a stand-in that answers every request as `reply` says. */
export async function startModelStub(
  reply: (asked: ModelRequest) => Reply = () => ({ type: "text", text: stubAnswer }),
): Promise<ModelStub> {
  const requests: (readonly JsonValue[])[] = [];
  const models = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = bodyOf(await Array.fromAsync(request));
    const api = apis.find(({ isTurn }) => isTurn(request));
    if (api) {
      requests.push(api.history(body));
      models.add(String(body["model"]));
      response.setHeader("content-type", body["stream"] ? "text/event-stream" : "application/json");
      response.end(api.answer(body, reply(api.asked(body))));
    } else if (request.headers.upgrade) {
      // A client that prefers a web socket continues without one.
      response.writeHead(426).end();
    } else {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ input_tokens: 10, data: [], models: [] }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    models,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function bodyOf(chunks: readonly Buffer[]): JsonObject {
  try {
    const value: JsonValue = parseJson(Buffer.concat(chunks).toString("utf8"));
    return isJsonObject(value) ? value : {};
  } catch {
    // Clients also check with an empty body whether a server is there.
    return {};
  }
}
