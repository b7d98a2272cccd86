import type { Readable, Writable } from "node:stream";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { DrainingTransport } from "./draining-transport.ts";

/** Other streams than those of the process, and when to stop. */
export type StdioOptions = {
  readonly stdin?: Readable;
  /** Carries nothing but the protocol. */
  readonly stdout?: Writable;
  /** Ends it at once: work in progress is given up. */
  readonly signal?: AbortSignal;
  /** Called for lines that are not messages, and for a stream that fails. */
  readonly onError?: (error: Error) => void;
};

/**
 * Answers on stdin and stdout until stdin ends and all its requests are answered, or nobody is
 * there to take answers.
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
  if (onError) server.onerror = (error) => onError(inShort(error));
  // For good: that nobody reads the last answer is heard of when all else is over.
  stdout.on("error", (error) => onError?.(error));
  const close = (): void => void server.close();
  const drain = (): void => void transport.drained().then(close);
  signal?.addEventListener("abort", close);
  stdin.once("end", drain);
  // A pipe may break without an end.
  stdin.once("close", drain);
  // What waits to be written there would wait for ever.
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

/** What the SDK says of a line that is JSON and no message is 140 lines of what a message may be. */
function inShort(error: Error): Error {
  if (!/^\$?ZodError$/.test(error.name)) return error;
  return new Error("a line on stdin is not a JSON-RPC message", { cause: error });
}
