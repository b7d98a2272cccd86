import { randomUUID } from "node:crypto";
import type { Handlers } from "@pond/server";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "@pond/server/http";
import { createMcpRequestHandler, createMcpServer } from "@pond/server/mcp";
import type { Context } from "./context.ts";
import { UsageError } from "./errors.ts";
import { clientRestorers, withHandlers } from "./handlers.ts";
import { onInterrupt } from "./interrupt.ts";
import type { Output } from "./output/output.ts";
import { safe, safeLine } from "./output/safe-text.ts";
import { instancePath, publishServer } from "./running-server.ts";
import { version } from "./version.ts";
import { warnOfFailure } from "./warn-of-failure.ts";

export type HttpFlags = {
  readonly host?: string;
  readonly port?: number;
  readonly allowRemote?: boolean;
  readonly allowedHost?: readonly string[];
};

const defaults = { host: "127.0.0.1", port: 9797 };
const ownNames = ["127.0.0.1", "::1", "[::1]", "localhost"];

/**
 * Answers HTTP and MCP at one address until the process is told to end; finishes the requests in
 * progress.
 */
export async function serveHttp(context: Context, flags: HttpFlags): Promise<void> {
  const { host, port, allowRemote = false, allowedHost } = { ...defaults, ...flags };
  if (!allowRemote && !ownNames.includes(host.toLowerCase())) {
    throw new UsageError(
      `${host} can be reached from elsewhere, and pond authenticates nobody. Put something in front that does, then pass --allow-remote`,
      { host },
    );
  }
  const { signal, stop } = onInterrupt();
  const answer = async (handlers: Handlers): Promise<void> => {
    const { output } = context;
    const instance = randomUUID();
    const server = createHttpServer({
      ...{ handlers, host, port, allowedHosts: allowedHost, isRemoteAllowed: allowRemote },
      mounts: mountsOf(output, handlers, instance),
      logger: output.isVerbose ? output.stderr : undefined,
    });
    const { url } = await listen(server, port);
    const withdraw = await publish(context, { url, instance });
    announce(output, url);
    await aborted(signal);
    output.note(safeLine("Stopping; open requests are still answered."));
    await withdraw();
    await server.stop();
  };
  try {
    const restorers = await clientRestorers();
    // Callers from elsewhere are not told where things are here.
    await withHandlers(context, answer, { restorers, isPersonal: !allowRemote });
  } finally {
    stop();
  }
}

/**
 * MCP, and the path where another process of this user finds out that this is the recorded server.
 */
function mountsOf(
  output: Output,
  handlers: Handlers,
  instance: string,
): HttpServerOptions["mounts"] {
  const onFailure = (error: unknown, id: string): void =>
    warnOfFailure(output, `call ${id} failed`, error);
  const createMcp = () => createMcpServer({ handlers, version: version(), onFailure });
  return {
    "/mcp": createMcpRequestHandler(createMcp),
    [instancePath(":instance")]: async ({ url }, response) => {
      response.writeHead(url === instancePath(instance) ? 204 : 404).end();
    },
  };
}

/**
 * Records this server, so that others ask it. It serves even if that fails, because nobody has to
 * know about it.
 */
async function publish(
  context: Context,
  server: { readonly url: string; readonly instance: string },
): Promise<() => Promise<void>> {
  try {
    return await publishServer(context, server);
  } catch (error) {
    warnOfFailure(context.output, "`pond mcp` will not find this server", error);
    return async () => {};
  }
}

async function listen(server: HttpServer, port: number): ReturnType<HttpServer["listen"]> {
  try {
    return await server.listen();
  } catch (error) {
    await server.stop();
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "EADDRINUSE") throw error;
    throw new UsageError(`port ${port} is taken; name another with --port, or 0 for a free one`, {
      port,
    });
  }
}

function announce(output: Output, url: string): void {
  const mcp = `${url}/mcp`;
  if (output.isJson) output.jsonText(JSON.stringify({ url, mcp, pid: process.pid }));
  else output.line(safe`Listening on ${safeLine(url)}, MCP at ${safeLine(mcp)}`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
