import type { PinnedModel } from "@pond/embed";
import type { Context } from "./context.ts";
import { makeFolder, shortenHome } from "./directories.ts";
import { type Embeddings, howToConfigure } from "./embeddings.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { onInterrupt } from "./interrupt.ts";
import { formatBytes } from "./output/numbers.ts";
import {
  describeRate,
  describeShare,
  describeTimeLeft,
  fitFacts,
  type Pace,
  ProgressLine,
} from "./output/progress.ts";
import { type SafeText, safe, safeLine, safeText } from "./output/safe-text.ts";
import { bytesOf, isNamedBy, modelNamed } from "./pinned-model.ts";
import { isAbort, reportStopped } from "./report-error.ts";

/** Fetches a model and draws the progress. A Ctrl-C leaves what has arrived for the next call. */
export async function downloadPinned(context: Context, name: string): Promise<ExitCode> {
  const { output, settings, env } = context;
  const cacheDirectory = settings.directories.models;
  const { downloadModel, isDownloaded } = await import("@pond/embed");
  const model = await modelNamed(name);
  const wasHere = await isDownloaded(model, cacheDirectory);
  const progress = new ProgressLine(output);
  const { signal, stop } = onInterrupt();
  try {
    makeFolder(cacheDirectory);
    const folder = await downloadModel(model, {
      ...{ cacheDirectory, env, signal },
      onProgress: ({ file, bytesDone: done, bytesTotal: total }) =>
        progress.show("download", { done, total }, (pace) => describeDownload(file, pace)),
    });
    progress.clear();
    printDownloaded(context, model, folder, wasHere);
    return exitCodes.done;
  } catch (error) {
    if (!isAbort(error)) throw error;
    progress.clear();
    return reportStopped(
      output,
      safe`\`pond models download ${safeLine(name)}\` continues from there.`,
    );
  } finally {
    progress.clear();
    stop();
  }
}

/** `model.onnx  ███░░░░░░░  25 %  30 MB/118 MB  4.0 MB/s  22 s left` */
export function describeDownload(file: string, pace: Pace): SafeText {
  const { done, total, doneBefore, elapsedMs } = pace;
  const amount = safe`${formatBytes(done)}/${formatBytes(total)}`;
  const rate = describeRate(done - doneBefore, elapsedMs, (each) => safe`${formatBytes(each)}/s`);
  const share = safe`${safeLine(file)}  ${describeShare(pace)}`;
  return fitFacts([share, amount, describeTimeLeft(pace), rate], pace.columns);
}

function printDownloaded(
  { output, settings, home }: Context,
  model: PinnedModel,
  folder: string,
  wasHere: boolean,
): void {
  const { name } = model;
  if (output.isJson) {
    const downloaded = { name, folder, bytes: bytesOf(model), was_here: wasHere };
    output.jsonText(JSON.stringify(downloaded));
    return;
  }
  const where = safeLine(shortenHome(folder, home));
  const what = safeText(wasHere ? "is here already:" : "is downloaded:");
  output.line(safe`${safeLine(name)} ${what} ${where} (${formatBytes(bytesOf(model))}).`);
  output.note(safeText(nextStep(settings.embeddings, name)));
}

function nextStep(embeddings: Embeddings, name: string): string {
  if (!embeddings.isOn) {
    const { file, reason } = embeddings;
    return file === undefined ? `It is not used: ${reason}.` : howToConfigure(file, name);
  }
  return isNamedBy(embeddings.model, name)
    ? "`pond sync` embeds what is stored."
    : `It is not used: ${embeddings.place} names another model.`;
}
