import type { Readable, Writable } from "node:stream";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { DrainingTransport } from "./draining-transport.ts";

/** The streams, if not those of the process, and when to stop. */
export type StdioOptions = {
  readonly stdin?: Readable;
  /** Carries only the protocol. */
  readonly stdout?: Writable;
  /** Stops the server at once and gives up work in progress. */
  readonly signal?: AbortSignal;
  /** Called for lines that are not messages, and for a stream that fails. */
  readonly onError?: (error: Error) => void;
};

/**
 * Serves MCP on stdin and stdout. Resolves once stdin has ended and all its requests are answered,
 * or once nobody takes answers any more.
 */
export async function serveStdio(
  server: Server,
  { stdin = process.stdin, stdout = process.stdout, signal, onError }: StdioOptions = {},
): Promise<void> {
  signal?.throwIfAborted();
  const transport = new DrainingTransport(new StdioServerTransport(stdin, stdout));
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  if (onError) server.onerror = (error) => onError(withShortMessage(error));
  // Never removed: the error that nobody reads the last answer comes after everything else.
  stdout.on("error", (error) => onError?.(error));
  const close = (): void => void server.close();
  const drain = (): void => void transport.drained().then(close);
  signal?.addEventListener("abort", close);
  stdin.once("end", drain);
  // A pipe may break without an `end` event.
  stdin.once("close", drain);
  // Answers that wait to be written there would wait for ever.
  stdout.once("close", close);
  try {
    await server.connect(transport);
    await closed;
  } finally {
    signal?.removeEventListener("abort", close);
    stdin.off("end", drain);
    stdin.off("close", drain);
    stdout.off("close", close);
  }
}

/** For JSON that is not a message, the SDK's error is 140 lines about what a message may be. */
function withShortMessage(error: Error): Error {
  if (!/^\$?ZodError$/.test(error.name)) return error;
  return new Error("a line on stdin is not a JSON-RPC message", { cause: error });
}
