import type { Embedder } from "./embedder.ts";
import { HttpEmbedder } from "./http/http-embedder.ts";
import { openFolderModel } from "./local/folder-model.ts";
import { LocalEmbedder } from "./local/local-embedder.ts";
import { openPinnedModel } from "./local/pinned-model.ts";
import type { EmbedderSettings } from "./settings.ts";

/**
 * Opens a model without loading it: small files are read, nothing is sent. What loading or the
 * endpoint has to say comes with the first `embed`.
 *
 * @throws {ModelNotFoundError} {@link ModelIncompleteError} {@link ModelInvalidError}
 * @throws {TypeError} `RangeError` for settings that make no sense.
 */
export async function openEmbedder(settings: EmbedderSettings): Promise<Embedder> {
  switch (settings.kind) {
    case "pinned":
      return new LocalEmbedder(await openPinnedModel(settings), settings);
    case "folder":
      return new LocalEmbedder(await openFolderModel(settings), settings);
    case "http":
      return new HttpEmbedder(settings);
  }
}
