import { Agent, request } from "node:http";
import { createRandom } from "../shared/random.ts";

export type ServingLoad = {
  readonly clients: number;
  readonly seconds: number;
  readonly queries: readonly string[];
};

export type ServingAnswer = {
  readonly kind: "search" | "get";
  readonly ms: number;
  /** Undefined if there was an answer; otherwise the status, or the error of the connection. */
  readonly failure: string | undefined;
};

type Found = { readonly sessions?: readonly { readonly session_id: string }[] };

/** The share of a client's questions that are searches; the others read what was found. */
const searchShare = 0.7;

/** Every client asks, waits, and asks again, over one connection, until the time is up. */
export async function askForever(url: string, load: ServingLoad): Promise<ServingAnswer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.clients });
  const untilMs = performance.now() + load.seconds * 1_000;
  const answers: ServingAnswer[] = [];
  const clients = Array.from({ length: load.clients }, async (_, number) => {
    const random = createRandom(number + 1);
    let known: string | undefined;
    while (performance.now() < untilMs) {
      const isSearch = known === undefined || random() < searchShare;
      const query = load.queries[Math.floor(random() * load.queries.length)];
      const asked = isSearch ? { query } : { session_id: known };
      const kind = isSearch ? "search" : "get";
      const startedMs = performance.now();
      const { text, failure } = await post(agent, `${url}/v1/${kind}`, asked);
      answers.push({ kind, ms: performance.now() - startedMs, failure });
      if (isSearch && failure === undefined) {
        const { sessions = [] }: Found = JSON.parse(text);
        known = sessions[0]?.session_id ?? known;
      }
    }
  });
  await Promise.all(clients);
  agent.destroy();
  return answers;
}

/** Sends one request; an error is returned, not thrown. */
export function post(
  agent: Agent,
  url: string,
  asked: object,
): Promise<{ readonly text: string; readonly failure: string | undefined }> {
  return new Promise((done) => {
    const headers = { "content-type": "application/json" };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode } = response;
        const text = Buffer.concat(chunks).toString();
        done({ text, failure: statusCode === 200 ? undefined : failureOf(statusCode, text) });
      });
    });
    sent.on("error", (error) => done({ text: "", failure: error.message }));
    sent.end(JSON.stringify({ protocol_version: 1, ...asked }));
  });
}

function failureOf(status: number | undefined, text: string): string {
  const { code, details } = JSON.parse(text).error;
  return ["status", status, code, details.kind].filter(Boolean).join(" ");
}
