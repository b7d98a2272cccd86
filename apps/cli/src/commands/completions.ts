import { Argument, Command } from "commander";
import { completionScript, howToInstall, type Shell, shells } from "../completion-scripts.ts";
import { createOutput, type Surface } from "../context.ts";
import { say, shown } from "../output/shown.ts";
import type { RunAction } from "../run.ts";
import type { GlobalFlags } from "../settings.ts";

/** Run as every shell starts, so it asks neither for settings, which may be broken, nor for a home. */
export function completionsCommand(_run: RunAction, surface: Surface): Command {
  return new Command("completions")
    .description("print a completion script: `pond completions bash >> ~/.bashrc`")
    .addArgument(new Argument("<shell>", "the shell to make it for").choices(shells))
    .action((shell: Shell, _flags: unknown, command: Command) => {
      const output = createOutput(command.optsWithGlobals<GlobalFlags>(), surface);
      output.line(shown(completionScript(shell).trimEnd()));
      // Whoever sees it has not sent it where it works.
      if (output.isTerminal) output.note(say`To install it: ${shown(howToInstall[shell])}`);
    });
}
