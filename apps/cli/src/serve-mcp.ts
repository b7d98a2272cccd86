import { Console } from "node:console";
import { createMcpServer, serveStdio } from "@pond/server/mcp";
import type { Context } from "./context.ts";
import { onInterrupt } from "./interrupt.ts";
import { withNearestHandlers } from "./nearest-handlers.ts";
import { shown } from "./output/shown.ts";
import { tellFailure } from "./tell-failure.ts";
import { version } from "./version.ts";

/** Answers one client over stdin and stdout until it closes stdin, or the process is told to end. */
export async function serveMcp(context: Context): Promise<void> {
  const { output } = context;
  // Stdout carries protocol only, whatever a library may think of printing.
  globalThis.console = new Console(process.stderr);
  const { signal, stop } = onInterrupt();
  try {
    await withNearestHandlers(context, async (handlers) => {
      const onFailure = (error: unknown): void => tellFailure(output, "a call failed", error);
      const server = createMcpServer({ handlers, version: version(), onFailure });
      const onError = ({ message }: Error): void => output.note(shown(message));
      await serveStdio(server, { signal, onError });
    });
  } finally {
    stop();
  }
}
