import { Command } from "commander";
import type { InitFlags } from "../init/init.ts";
import type { RunAction } from "../run.ts";

export function initCommand(run: RunAction): Command {
  return new Command("init")
    .description("set pond up: find clients, let agents search, sync now and every hour")
    .option("-y, --yes", "ask nothing and take everything")
    .option("--client <name...>", "keep the sessions of these alone (default: every one found)")
    .option("--no-mcp", "do not register pond's MCP server with the clients")
    .option("--no-schedule", "do not sync in the background")
    .option("--no-sync", "do not sync now")
    .option("--dry-run", "say what would be done; write nothing")
    .option("--undo", "take back what init did; what is stored stays")
    .action((flags: InitFlags, command: Command) =>
      run(command, async (context) => {
        // Before anything is said or asked: the process may start anew, and the sync would do so later.
        const isSyncing = flags.sync && !flags.dryRun && !flags.undo;
        if (isSyncing) await context.startLean?.("batches");
        const { init } = await import("../init/init.ts");
        return init(context, flags, command.optsWithGlobals());
      }),
    );
}
