// A real store behind a real socket: what is asked here is asked as any client would.
import { type ErrorBody, type OperationName, operations } from "@pond/wire";
import type { HandlersOptions } from "../handlers.ts";
import { type TestPond, testPond } from "../testing.ts";
import { createHttpServer, type HttpServerOptions } from "./server.ts";

export type Reply<Body> = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
};

export type ServedPond = {
  readonly pond: TestPond;
  readonly url: string;
  readonly port: number;
  /** Asks with the envelope filled in. */
  ask<Body = ErrorBody>(operation: OperationName, request: object): Promise<Reply<Body>>;
  /** Sends a body as it is. */
  askText<Body = ErrorBody>(operation: OperationName, body: string): Promise<Reply<Body>>;
  remove(): Promise<void>;
};

export async function servePond(
  options: Omit<HandlersOptions, "namespaces"> = {},
  http: Omit<HttpServerOptions, "handlers" | "port"> = {},
): Promise<ServedPond> {
  const pond = testPond(options);
  const server = createHttpServer({ ...http, handlers: pond.handlers, port: 0 });
  const { url, port } = await server.listen();
  return {
    ...{ pond, url, port },
    ask: (operation, request) => askAt(url, operation, request),
    askText: (operation, body) => askTextAt(url, operation, body),
    async remove() {
      await server.stop({ deadlineMs: 0 });
      await pond.remove();
    },
  };
}

export function askAt<Body = ErrorBody>(
  url: string,
  operation: OperationName,
  request: object,
): Promise<Reply<Body>> {
  return askTextAt(url, operation, JSON.stringify({ protocol_version: 1, ...request }));
}

async function askTextAt<Body>(
  url: string,
  operation: OperationName,
  body: string,
): Promise<Reply<Body>> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body };
  const response = await fetch(`${url}${operations[operation].path}`, init);
  const { status, headers: said } = response;
  return { status, headers: said, body: (await response.json()) as Body };
}
