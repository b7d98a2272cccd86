import { Command } from "commander";
import { adaptersCommand } from "./commands/adapters.ts";
import { completionsCommand } from "./commands/completions.ts";
import { copyCommand } from "./commands/copy.ts";
import { exportCommand } from "./commands/export.ts";
import { getCommand } from "./commands/get.ts";
import { importCommand } from "./commands/import.ts";
import { initCommand } from "./commands/init.ts";
import { listCommand } from "./commands/list.ts";
import { modelsCommand } from "./commands/models.ts";
import { restoreCommand } from "./commands/restore.ts";
import { resumeCommand } from "./commands/resume.ts";
import { scheduleCommand } from "./commands/schedule.ts";
import { searchCommand } from "./commands/search.ts";
import { mcpCommand, serveCommand } from "./commands/serve.ts";
import { statusCommand } from "./commands/status.ts";
import { syncCommand } from "./commands/sync.ts";
import type { Runtime } from "./context.ts";
import { safeText } from "./output/safe-text.ts";
import type { RunAction } from "./run.ts";
import { version } from "./version.ts";

const commands = [
  initCommand,
  syncCommand,
  searchCommand,
  listCommand,
  getCommand,
  restoreCommand,
  resumeCommand,
  exportCommand,
  importCommand,
  copyCommand,
  statusCommand,
  scheduleCommand,
  adaptersCommand,
  modelsCommand,
  serveCommand,
  mcpCommand,
  completionsCommand,
];

const epilogue = `
Start with \`pond init\`, then \`pond search "what I remember of it"\`.
Settings, the first counts: flags; POND_STORAGE, POND_CONFIG, POND_EMBEDDINGS; config.toml; defaults.
Exit codes: 0 done, 1 failed, 2 bad usage, 3 done with faults reported.`;

/** The whole command line. Only what parsing and help need is loaded here. */
export function createProgram(run: RunAction, runtime: Runtime): Command {
  const { stdout, stderr } = runtime;
  const program = new Command("pond")
    .description("Keeps every agent session, finds anything in it, and gives any session back.")
    .option("--storage <url-or-dir>", "where sessions are stored (default: the user's data folder)")
    .option("--namespace <name>", "name of the store in that storage (default: default)")
    .option("--json", "print JSON on stdout, everything else on stderr")
    .option("-q, --quiet", "print only answers and what needs doing")
    .option("-v, --verbose", "print more details")
    .option("--no-color", "print no colours (NO_COLOR and FORCE_COLOR count too)")
    .version(version(), "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print help for a command")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // It quotes what was typed, or pasted.
      writeErr: (text) => stderr.write(safeText(text)),
    })
    .showHelpAfterError(helpHint("pond"))
    .addHelpText("after", epilogue)
    .exitOverride();
  // They take over the settings above, so those come first.
  for (const create of commands) program.addCommand(inherit(create(run, runtime), program, "pond"));
  return program;
}

function inherit(command: Command, from: Command, path: string): Command {
  const name = `${path} ${command.name()}`;
  command.copyInheritedSettings(from).showHelpAfterError(helpHint(name));
  for (const subcommand of command.commands) inherit(subcommand, command, name);
  return command;
}

function helpHint(name: string): string {
  return `See \`${name} --help\`.`;
}
