import { Argument, Command } from "commander";
import { completionScript, type Shell, shells } from "../completion-scripts.ts";
import { exitCodes } from "../exit.ts";
import { shown } from "../output/shown.ts";
import type { RunAction } from "../run.ts";

export function completionsCommand(run: RunAction): Command {
  return new Command("completions")
    .description("print a completion script: `pond completions bash >> ~/.bashrc`")
    .addArgument(new Argument("<shell>", "the shell that is to complete").choices(shells))
    .action((shell: Shell, _flags: unknown, command: Command) =>
      run(command, async ({ output }) => {
        const { pinnedModels } = await import("@pond/embed");
        const names = { models: pinnedModels.map(({ name }) => name) };
        const script = completionScript(shell, command.parent ?? command, names);
        output.line(shown(script.trimEnd()));
        return exitCodes.done;
      }),
    );
}
