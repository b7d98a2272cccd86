import { createMcpServer, serveStdio } from "@pond/server/mcp";
import type { Context } from "./context.ts";
import { onInterrupt } from "./interrupt.ts";
import { safeText } from "./output/safe-text.ts";
import { takeStdout } from "./own-stdout.ts";
import { withSharedHandlers } from "./shared-handlers.ts";
import { version } from "./version.ts";
import { warnOfFailure } from "./warn-of-failure.ts";

/**
 * Answers one client over stdin and stdout until it closes stdin, or the process is told to end.
 */
export async function serveMcp(context: Context): Promise<void> {
  const { output } = context;
  const stdout = takeStdout(process);
  const { signal, stop } = onInterrupt();
  try {
    await withSharedHandlers(context, async (handlers) => {
      const onFailure = (error: unknown, id: string): void =>
        warnOfFailure(output, `call ${id} failed`, error);
      const server = createMcpServer({ handlers, version: version(), onFailure });
      const onError = ({ message }: Error): void => output.note(safeText(message));
      await serveStdio(server, { stdout, signal, onError });
    });
  } finally {
    stop();
  }
}
