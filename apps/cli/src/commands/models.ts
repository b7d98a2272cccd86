import { Argument, Command } from "commander";
import type { Context } from "../context.ts";
import { downloadPinned } from "../download-model.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { listModels } from "../list-models.ts";
import { safe, safeLine, safeText } from "../output/safe-text.ts";
import { isNamedBy, modelNamed } from "../pinned-model.ts";
import type { RunAction } from "../run.ts";

export function modelsCommand(run: RunAction): Command {
  const models = new Command("models").description(
    "list, download and remove models for search by meaning",
  );
  // Commander passes unknown words to the default, which would say that it takes no arguments.
  models.hook("preSubcommand", ({ args: [named] }, chosen) => {
    if (named !== undefined && !named.startsWith("-") && named !== chosen.name())
      models.error(`error: unknown command '${named}'`, { code: "commander.unknownCommand" });
  });
  const name = (): Argument => new Argument("<name>", "a model that `pond models` lists");
  models
    .command("list", { isDefault: true })
    .description("list the models pond knows, and which are on this machine")
    .action((_flags: unknown, command: Command) => run(command, listModels));
  models
    .command("download")
    .description("download a model, or what is missing of it")
    .addArgument(name())
    .action((wanted: string, _flags: unknown, command: Command) =>
      run(command, (context) => downloadPinned(context, wanted)),
    );
  models
    .command("remove")
    .description("delete a downloaded model")
    .addArgument(name())
    .action((wanted: string, _flags: unknown, command: Command) =>
      run(command, (context) => remove(context, wanted)),
    );
  return models;
}

async function remove(context: Context, name: string): Promise<ExitCode> {
  const { output, settings } = context;
  const { removeModel } = await import("@pond/embed");
  const model = await modelNamed(name);
  const removed = await removeModel(model, settings.directories.models);
  if (output.isJson) {
    output.jsonText(JSON.stringify({ name, removed }));
    return exitCodes.done;
  }
  output.line(safe`${safeLine(name)} ${safeText(removed ? "is removed." : "was not here.")}`);
  const { embeddings } = settings;
  if (embeddings.isOn && isNamedBy(embeddings.model, name)) {
    output.warn(safe`${safeLine(embeddings.place)} still names it, and search needs it`);
  }
  return exitCodes.done;
}
