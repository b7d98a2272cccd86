import { createMcpServer, serveStdio } from "@pond/server/mcp";
import type { Context } from "./context.ts";
import { onInterrupt } from "./interrupt.ts";
import { withNearestHandlers } from "./nearest-handlers.ts";
import { shown } from "./output/shown.ts";
import { takeStdout } from "./own-stdout.ts";
import { tellFailure } from "./tell-failure.ts";
import { version } from "./version.ts";

/**
 * Answers one client over stdin and stdout until it closes stdin, or the process is told to end.
 */
export async function serveMcp(context: Context): Promise<void> {
  const { output } = context;
  const stdout = takeStdout(process);
  const { signal, stop } = onInterrupt();
  try {
    await withNearestHandlers(context, async (handlers) => {
      const onFailure = (error: unknown, id: string): void =>
        tellFailure(output, `call ${id} failed`, error);
      const server = createMcpServer({ handlers, version: version(), onFailure });
      const onError = ({ message }: Error): void => output.note(shown(message));
      await serveStdio(server, { stdout, signal, onError });
    });
  } finally {
    stop();
  }
}
