import { Argument, Command } from "commander";
import { completionScript, howToInstall, type Shell, shells } from "../completion-scripts.ts";
import { createOutput, type Runtime } from "../context.ts";
import { safe, safeText } from "../output/safe-text.ts";
import type { RunAction } from "../run.ts";
import type { GlobalFlags } from "../settings.ts";

/**
 * Runs whenever a shell starts, so it needs neither the settings, which may be broken, nor a home.
 */
export function completionsCommand(_run: RunAction, runtime: Runtime): Command {
  return new Command("completions")
    .description("print a completion script: `pond completions bash >> ~/.bashrc`")
    .addArgument(new Argument("<shell>", "the shell to make it for").choices(shells))
    .action((shell: Shell, _flags: unknown, command: Command) => {
      const output = createOutput(command.optsWithGlobals<GlobalFlags>(), runtime);
      output.line(safeText(completionScript(shell).trimEnd()));
      // If the user sees the script, it has not gone where it takes effect.
      if (output.isTerminal) output.note(safe`To install it: ${safeText(howToInstall[shell])}`);
    });
}
