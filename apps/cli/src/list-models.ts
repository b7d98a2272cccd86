import type { Context } from "./context.ts";
import { shortenHome } from "./directories.ts";
import { whyOff } from "./embeddings.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { formatBytes, formatCount } from "./output/numbers.ts";
import { printTable } from "./output/print-table.ts";
import { type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import { bytesOf, isNamedBy } from "./pinned-model.ts";

type ModelEntry = {
  readonly name: string;
  readonly dimension: number;
  readonly bytes: number;
  readonly licence: string;
  readonly downloaded: boolean;
  /** True if `config.toml` names it. */
  readonly configured: boolean;
};

/** Prints the models that pond knows, and the one in use if it is not one of them. */
export async function listModels(context: Context): Promise<ExitCode> {
  const { output, settings } = context;
  const { embeddings, directories } = settings;
  const { isDownloaded, pinnedModels } = await import("@pond/embed");
  const models = await Promise.all(
    pinnedModels.map(
      async (model): Promise<ModelEntry> => ({
        name: model.name,
        dimension: model.dimension,
        bytes: bytesOf(model),
        licence: model.licence,
        downloaded: await isDownloaded(model, directories.models),
        configured: embeddings.isOn && isNamedBy(embeddings.model, model.name),
      }),
    ),
  );
  if (output.isJson) {
    output.jsonText(JSON.stringify({ models, directory: directories.models }));
    return exitCodes.done;
  }
  if (models.length > 0) print(context, models);
  else output.line(safeText("pond knows no model by name: name a folder or an address."));
  printConfigured(context);
  return exitCodes.done;
}

function print({ output }: Context, models: readonly ModelEntry[]): void {
  const columns = [
    { title: safeText("MODEL"), style: output.style.strong },
    { title: safeText("DIMENSION"), align: "right", minTableWidth: 72 },
    { title: safeText("SIZE"), align: "right" },
    { title: safeText("LICENCE") },
    { title: safeText("STATE"), minWidth: 10 },
  ] as const;
  const rows = models.map((model) => [
    safeLine(model.name),
    formatCount(model.dimension),
    formatBytes(model.bytes),
    safeLine(model.licence),
    stateOf(model),
  ]);
  printTable(output, columns, rows);
}

function stateOf({ downloaded, configured }: ModelEntry): SafeText {
  if (configured) return safeText(downloaded ? "configured" : "configured, not downloaded");
  return safeText(downloaded ? "downloaded" : "");
}

/** Prints the model in use if it is not in the list, or how to choose one if there is none. */
function printConfigured({ output, home, settings }: Context): void {
  const { embeddings } = settings;
  if (!embeddings.isOn) {
    output.note(safeText(`Search goes by words alone: ${whyOff(embeddings)}`));
    return;
  }
  const { model } = embeddings;
  if (model.kind === "folder") {
    output.note(safe`Configured: the folder ${safeLine(shortenHome(model.folder, home))}.`);
  } else if (model.kind === "http") {
    output.note(safe`Configured: ${safeLine(model.model)} at ${safeLine(model.url)}.`);
  }
}
