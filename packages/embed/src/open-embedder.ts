import type { Embedder } from "./embedder.ts";
import { HttpEmbedder } from "./http/http-embedder.ts";
import { openFolderModel } from "./local/folder-model.ts";
import { LocalEmbedder, type LocalOptions } from "./local/local-embedder.ts";
import type { LocalModel } from "./local/local-model.ts";
import { openPinnedModel } from "./local/pinned-model.ts";
import type { EmbedderSettings } from "./settings.ts";

/**
 * Opens a model without loading it: it reads small files and sends nothing. Errors of loading, or
 * of the endpoint, come with the first `embed`.
 *
 * @throws {ModelNotFoundError} {@link ModelIncompleteError} {@link ModelInvalidError}
 * @throws {TypeError} `RangeError` for settings that make no sense.
 */
export async function openEmbedder(settings: EmbedderSettings): Promise<Embedder> {
  const { kind } = settings;
  switch (settings.kind) {
    case "pinned":
      return openLocal(() => openPinnedModel(settings), settings);
    case "folder":
      if (settings.folder === "") throw new TypeError("folder: expected a path");
      return openLocal(() => openFolderModel(settings), settings);
    case "http":
      return new HttpEmbedder(settings);
    default:
      throw new TypeError(`kind: expected pinned, folder or http, not ${kind}`);
  }
}

async function openLocal(
  open: () => Promise<LocalModel>,
  options: LocalOptions,
): Promise<LocalEmbedder> {
  return new LocalEmbedder(await open(), open, options);
}
