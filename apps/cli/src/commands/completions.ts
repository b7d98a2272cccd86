import { Argument, Command } from "commander";
import { completionScript, howToInstall, type Shell, shells } from "../completion-scripts.ts";
import { exitCodes } from "../exit.ts";
import { say, shown } from "../output/shown.ts";
import type { RunAction } from "../run.ts";

export function completionsCommand(run: RunAction): Command {
  return new Command("completions")
    .description("print a completion script: `pond completions bash >> ~/.bashrc`")
    .addArgument(new Argument("<shell>", "the shell that is to complete").choices(shells))
    .action((shell: Shell, _flags: unknown, command: Command) =>
      run(command, async ({ output }) => {
        output.line(shown(completionScript(shell).trimEnd()));
        // Whoever sees it has not sent it where it works.
        if (output.isTerminal) output.note(say`To install it: ${shown(howToInstall[shell])}`);
        return exitCodes.done;
      }),
    );
}
