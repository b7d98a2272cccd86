import { createHash } from "node:crypto";
import { join } from "node:path";
import { ModelIncompleteError, ModelNotFoundError } from "../errors.ts";
import { folderOf, manifestOf, sizeOf } from "../models/model-folder.ts";
import type { PinnedSettings } from "../settings.ts";
import type { LocalModel } from "./local-model.ts";
import { requireComplete } from "./model-files.ts";

/**
 * Opens a downloaded model, as its manifest describes it.
 *
 * @throws {ModelNotFoundError} for an unknown name, and if it was not downloaded.
 * @throws {ModelIncompleteError} if only a part of it was.
 */
export async function openPinnedModel(settings: PinnedSettings): Promise<LocalModel> {
  const manifest = manifestOf(settings.model);
  const { name, files, licence: _, ...decisive } = manifest;
  const folder = folderOf(manifest, settings.cacheDirectory);
  const sizes = await Promise.all(files.map((file) => sizeOf(join(folder, file.name))));
  const parts = await Promise.all(files.map((file) => sizeOf(join(folder, `${file.name}.part`))));
  if (sizes.every((size) => size === undefined)) {
    const [part] = files.filter((_file, at) => parts[at] !== undefined);
    if (part === undefined) {
      throw new ModelNotFoundError(name, `is not downloaded; it is not in ${folder}`);
    }
    throw new ModelIncompleteError(
      name,
      part.name,
      "was not downloaded completely; download it again",
    );
  }
  for (const file of files) await requireComplete(name, folder, file.name, file.bytes);
  const digest = createHash("sha256")
    .update(JSON.stringify([decisive, files.map(({ sha256 }) => sha256)]))
    .digest("hex");
  return {
    modelId: `${name}#${digest.slice(0, 12)}`,
    location: folder,
    modelFile: join(folder, "model.onnx"),
    tokenizerFile: join(folder, "tokenizer.json"),
    tokenizerConfig: manifest.tokenizerConfig,
    dimension: manifest.dimension,
    pooling: manifest.pooling,
    queryPrefix: manifest.queryPrefix,
    passagePrefix: manifest.passagePrefix,
    maxTokens: manifest.maxTokens,
  };
}
