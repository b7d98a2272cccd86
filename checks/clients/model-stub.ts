import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** One message as the client sent it to the model. */
export type SentMessage = { readonly role: string; readonly content: unknown };

/** A loopback stand-in for the Messages API: answers with one word, remembers what it was sent. */
export type ModelStub = {
  readonly url: string;
  /** The messages of each request, oldest first. */
  readonly requests: (readonly SentMessage[])[];
  close(): Promise<void>;
};

const answer = "stub-answer";

export async function startModelStub(): Promise<ModelStub> {
  const requests: (readonly SentMessage[])[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = parse(Buffer.concat(chunks).toString("utf8"));
      const isTurn = request.url?.includes("/messages") && !request.url.includes("count_tokens");
      if (isTurn && Array.isArray(body["messages"])) requests.push(body["messages"]);
      response.setHeader("content-type", body["stream"] ? "text/event-stream" : "application/json");
      if (!isTurn) response.end(JSON.stringify({ input_tokens: 10 }));
      else response.end(body["stream"] ? streamed(body["model"]) : whole(body["model"]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text);
  } catch {
    // The client also asks with an empty body whether anybody is there.
    return {};
  }
}

const message = (model: unknown): object => ({
  id: "msg_stub",
  type: "message",
  role: "assistant",
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
});

function whole(model: unknown): string {
  const content = [{ type: "text", text: answer }];
  return JSON.stringify({ ...message(model), content, stop_reason: "end_turn" });
}

function streamed(model: unknown): string {
  const events: readonly (readonly [string, object])[] = [
    ["message_start", { message: message(model) }],
    ["content_block_start", { index: 0, content_block: { type: "text", text: "" } }],
    ["content_block_delta", { index: 0, delta: { type: "text_delta", text: answer } }],
    ["content_block_stop", { index: 0 }],
    [
      "message_delta",
      { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } },
    ],
    ["message_stop", {}],
  ];
  return events
    .map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
    .join("");
}
