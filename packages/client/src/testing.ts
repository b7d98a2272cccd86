// A server that answers what a test wants, and time that passes when somebody sleeps.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { IngestEvent, SearchResponse, SessionPage, ShownMessage } from "@pond/wire";
import { type Client, clientOf } from "./client.ts";
import type { Clock } from "./clock.ts";
import { type ClientOptions, readSettings } from "./settings.ts";

type SeenRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export type Reply = (response: ServerResponse, request: SeenRequest) => void;

export type Running = {
  readonly url: string;
  readonly client: Client;
  readonly clock: TestClock;
  readonly seen: SeenRequest[];
};

/** Runs with a server that gives reply after reply, the last for good, and a client of it. */
export async function withServer<T>(
  replies: readonly Reply[],
  use: (running: Running) => Promise<T>,
  options: Partial<ClientOptions> = {},
): Promise<T> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = "", url = "", headers } = request;
    const seenRequest = { method, url, headers, body: Buffer.concat(chunks).toString("utf8") };
    seen.push(seenRequest);
    replies[Math.min(seen.length, replies.length) - 1]?.(response, seenRequest);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new TestClock();
  try {
    const client = clientOf(readSettings({ url, ...options }, clock));
    return await use({ url, client, clock, seen });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A reply of a status, with a body. */
export function respondWith(
  status: number,
  body: unknown = "",
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return (response) => {
    response.writeHead(status, headers);
    const isPlain = typeof body === "string" || body instanceof Uint8Array;
    response.end(isPlain ? body : JSON.stringify(body));
  };
}

/** What the server says when it fails. */
export function failWith(
  status: number,
  code: string,
  details: object = {},
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return respondWith(status, { error: { code, message: `the ${code} message`, details } }, headers);
}

export const nothingFound: SearchResponse = {
  mode: "full_text",
  total_in_scope: 0,
  sessions: [],
  took_ms: 1,
};

export function pageOf(ids: readonly string[], remaining: number): SessionPage {
  return {
    session: sessionEvent("s").session,
    response_mode: "conversational",
    messages: ids.map(
      (id): ShownMessage => ({ id, role: "user", timestamp: "2026-11-20T00:00:00Z", text: id }),
    ),
    messages_remaining: remaining,
  };
}

export function sessionEvent(id: string): Extract<IngestEvent, { kind: "session" }> {
  const created_at = "2026-11-20T00:00:00Z";
  const session = { id, source_agent: "test", created_at, project: "/demo", options: {} };
  return { kind: "session", session };
}

/** A message of the user and the text of it. */
export function messageEvents(
  session_id: string,
  id: string,
  text = `text of ${id}`,
  seconds = 1,
): IngestEvent[] {
  const timestamp = `2026-11-20T00:00:${String(seconds).padStart(2, "0")}Z`;
  return [
    { kind: "message", message: { id, session_id, timestamp, role: "user", options: {} } },
    {
      kind: "part",
      part: {
        ...{ id: `${id}-0`, session_id, message_id: id, type: "text", text },
        ...{ provenance: "conversational", options: {} },
      },
    },
  ];
}

/** Time that passes when somebody sleeps, and chance that always gives the most. */
class TestClock implements Clock {
  readonly slept: number[] = [];
  #now = 1_000_000;

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.#now += ms;
  }

  random(): number {
    return 1;
  }
}
