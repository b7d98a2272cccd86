// A server on a free port for the tests of this folder, and a client that sends bytes as they are.
import { connect, type Socket } from "node:net";
import { parseJson } from "@pond/canonical";
import type { Handlers } from "../handlers.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "./server.ts";

export type Running = {
  readonly url: string;
  readonly port: number;
  readonly server: HttpServer;
  /** Every line logged so far. */
  readonly lines: string[];
};

/** Runs with a server that listens on a free port of this machine, and stops it. */
export async function withServer<T>(
  options: Partial<HttpServerOptions>,
  use: (running: Running) => Promise<T>,
): Promise<T> {
  const lines: string[] = [];
  const logger = { write: (line: string) => void lines.push(line) };
  const handlers = answering(async () => ({}));
  const server = createHttpServer({ handlers, port: 0, logger, ...options });
  const { url, port } = await server.listen();
  try {
    return await use({ url, port, server, lines });
  } finally {
    await server.stop({ deadlineMs: 0 });
  }
}

type Handle = (
  operation: string,
  request: unknown,
  options: { readonly signal?: AbortSignal | undefined },
) => Promise<unknown>;

/** Handlers that answer what a test wants. */
export function answering(handle: Handle): Handlers {
  return { handle } as Handlers;
}

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `error.code` and `error.details.kind` of the body, where it has them. */
  readonly code: string | undefined;
  readonly kind: string | undefined;
};

/** Bytes to be sent, or something to be waited for before the next ones are. */
export type Chunk = string | Uint8Array | Promise<unknown>;

/** The first answer to these bytes; each chunk is written when the one before has gone out. */
export async function send(port: number, ...chunks: Chunk[]): Promise<Answer> {
  const answer = await sendToEnd(port, chunks, hasWholeAnswer);
  return toAnswer(answer);
}

/** Everything that comes back until the server closes the connection. */
export function sendUntilClosed(port: number, ...chunks: Chunk[]): Promise<string> {
  return sendToEnd(port, chunks, () => false);
}

function sendToEnd(
  port: number,
  chunks: readonly Chunk[],
  isEnough: (text: string) => boolean,
): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, "127.0.0.1");
    socket.setEncoding("latin1");
    socket.on("data", (chunk) => {
      text += chunk;
      if (isEnough(text)) socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(text));
    socket.on("connect", () => writeAll(socket, chunks));
  });
}

function writeAll(socket: Socket, chunks: readonly Chunk[]): void {
  const [first, ...rest] = chunks;
  if (first instanceof Promise) void first.then(() => writeAll(socket, rest));
  else if (first !== undefined) socket.write(first, () => writeAll(socket, rest));
}

function hasWholeAnswer(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /^content-length: (\d+)/im.exec(text.slice(0, end))?.[1];
  return text.length >= end + 4 + Number(length ?? 0);
}

function toAnswer(text: string): Answer {
  const end = text.indexOf("\r\n\r\n");
  const [first = "", ...lines] = text.slice(0, Math.max(0, end)).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
  const body = end < 0 ? "" : Buffer.from(text.slice(end + 4), "latin1").toString("utf8");
  return { status: Number(first.split(" ")[1] ?? 0), headers, body, ...errorOf(body) };
}

function errorOf(body: string): Pick<Answer, "code" | "kind"> {
  try {
    const { error } = parseJson(body) as { error?: { code: string; details: { kind?: string } } };
    return { code: error?.code, kind: error?.details.kind };
  } catch {
    return { code: undefined, kind: undefined };
  }
}

/** A POST as bytes, with the headers it should have unless others are given. */
export function post(
  path: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string | null>> = {},
): Buffer {
  const bytes = Buffer.from(body);
  const all: Record<string, string | null> = {
    host: "localhost",
    "content-type": "application/json",
    "content-length": String(bytes.length),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}\r\n`],
  );
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`), bytes]);
}
