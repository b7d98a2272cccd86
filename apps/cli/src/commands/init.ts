import { Command } from "commander";
import type { InitFlags } from "../init/init.ts";
import type { RunAction } from "../run.ts";

export function initCommand(run: RunAction): Command {
  return new Command("init")
    .description("set pond up: find clients, let agents search, sync now and every hour")
    .option("-y, --yes", "do everything that is offered, without asking")
    .option("--client <name...>", "store only the sessions of these clients (default: all found)")
    .option("--no-mcp", "do not register pond's MCP server with the clients")
    .option("--no-schedule", "do not sync in the background")
    .option("--no-sync", "do not sync now")
    .option("--dry-run", "show what would be done, and write nothing")
    .option("--undo", "undo what init did; stored sessions stay")
    .action((flags: InitFlags, command: Command) =>
      run(command, async (context) => {
        // Done before anything is said or asked: the process may restart, and the sync would do so
        // later.
        const isSyncing = flags.sync && !flags.dryRun && !flags.undo;
        if (isSyncing) await context.tuneMemory?.("batches");
        const { init } = await import("../init/init.ts");
        return init(context, flags, command.optsWithGlobals());
      }),
    );
}
