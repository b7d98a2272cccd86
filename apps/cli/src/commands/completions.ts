import { Argument, Command } from "commander";
import { completionScript, howToInstall, type Shell, shells } from "../completion-scripts.ts";
import { createOutput, type Surface } from "../context.ts";
import { say, shown } from "../output/shown.ts";
import type { RunAction } from "../run.ts";
import type { GlobalFlags } from "../settings.ts";

/**
 * Runs whenever a shell starts, so it needs neither the settings, which may be broken, nor a home.
 */
export function completionsCommand(_run: RunAction, surface: Surface): Command {
  return new Command("completions")
    .description("print a completion script: `pond completions bash >> ~/.bashrc`")
    .addArgument(new Argument("<shell>", "the shell to make it for").choices(shells))
    .action((shell: Shell, _flags: unknown, command: Command) => {
      const output = createOutput(command.optsWithGlobals<GlobalFlags>(), surface);
      output.line(shown(completionScript(shell).trimEnd()));
      // If the user sees the script, it has not gone where it takes effect.
      if (output.isTerminal) output.note(say`To install it: ${shown(howToInstall[shell])}`);
    });
}
