import { Command, Option } from "commander";
import { parsePort } from "../arguments.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { exitCodes } from "../exit-codes.ts";
import type { RunAction } from "../run.ts";
import type { HttpFlags } from "../serve-http.ts";

type ServeFlags = HttpFlags & {
  readonly transport: "http" | "stdio";
};

const transports = ["http", "stdio"];

export function serveCommand(run: RunAction): Command {
  return new Command("serve")
    .description("serve programs over HTTP and agents over MCP, until stopped")
    .addOption(
      new Option("--transport <name>", "HTTP with MCP at /mcp, or MCP on stdin and stdout")
        .choices(transports)
        .default("http"),
    )
    .option("--host <address>", "listen on this address (default: 127.0.0.1)")
    .option("--port <n>", "listen on this port; 0 takes a free one (default: 9797)", parsePort)
    .option(
      "--allow-remote",
      "listen beyond this machine: anyone who reaches it can read everything",
    )
    .option(
      "--allowed-host <name...>",
      "host names that requests may use, such as those of a proxy in front",
    )
    .action((flags: ServeFlags, command: Command) =>
      run(command, (context) => serve(context, flags)),
    );
}

export function mcpCommand(run: RunAction): Command {
  return new Command("mcp")
    .description("serve an agent over MCP on stdin and stdout, as serve --transport stdio")
    .action((_flags: unknown, command: Command) =>
      run(command, (context) => serve(context, { transport: "stdio" })),
    );
}

async function serve(context: Context, { transport, ...flags }: ServeFlags) {
  await context.tuneMemory?.("serving");
  if (transport === "http") {
    const { serveHttp } = await import("../serve-http.ts");
    await serveHttp(context, flags);
    return exitCodes.done;
  }
  const [given] = Object.keys(flags);
  if (given !== undefined) throw new UsageError("--transport stdio listens on no address");
  const { serveMcp } = await import("../serve-mcp.ts");
  await serveMcp(context);
  return exitCodes.done;
}
