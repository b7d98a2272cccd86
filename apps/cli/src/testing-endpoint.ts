// An embeddings endpoint on this machine, for the tests of this package.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

// Words of one topic share an axis, so that texts are near by meaning although no word is the same.
const topics = [
  ["car", "cars", "automobile", "vehicle", "engine"],
  ["heron", "bird", "birds", "feather", "wings"],
  ["bread", "bakery", "dough", "flour", "loaf"],
];

/** Length of the vectors; the last axis is for texts of no topic. */
export const topicDimension: number = topics.length + 1;

/** A unit vector of the topics of a text. */
function topicVector(text: string): number[] {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const counts = topics.map((topic) => words.filter((word) => topic.includes(word)).length);
  const vector = [...counts, counts.some((count) => count > 0) ? 0 : 1];
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

export type Answer = {
  readonly status?: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Endpoint = {
  /** Base address, as configured. */
  readonly url: string;
  /** Texts asked for so far, in order. */
  readonly texts: readonly string[];
  /** The `authorization` headers that came. */
  readonly keys: readonly (string | undefined)[];
  stop(): Promise<void>;
};

/** The answer with {@link topicVector}. */
export function topicAnswer(texts: readonly string[]): Answer {
  return vectorsAnswer(texts.map(topicVector));
}

/** @param answer - What it makes of the texts that were sent. */
export async function startEndpoint(
  answer: (texts: readonly string[]) => Answer = topicAnswer,
): Promise<Endpoint> {
  const texts: string[] = [];
  const keys: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    keys.push(request.headers.authorization);
    const { input } = JSON.parse(await bodyOf(request));
    const asked: string[] = Array.isArray(input) ? input : [input];
    texts.push(...asked);
    send(response, answer(asked));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}/v1`, texts, keys, stop };
}

/** The answer of an OpenAI-compatible endpoint. */
function vectorsAnswer(vectors: readonly (readonly number[])[]): Answer {
  const data = vectors.map((embedding, index) => ({ object: "embedding", index, embedding }));
  return { body: JSON.stringify({ object: "list", data }) };
}

function send(response: ServerResponse, { status = 200, body, headers = {} }: Answer): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
