import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ModelInvalidError, ModelNotFoundError } from "../errors.ts";
import { isFileNotFound } from "../json-file.ts";
import { type PinnedModel, pinnedModels } from "./pinned-models.ts";

const safeName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/**
 * The manifest for a name, or a manifest of the caller's after a check, because its names become
 * paths.
 *
 * @throws {ModelNotFoundError} for a name that is not in `pinnedModels`.
 * @throws {ModelInvalidError} for a manifest whose names are not plain names, or that pins nothing.
 */
export function manifestOf(model: string | PinnedModel): PinnedModel {
  if (typeof model === "string") {
    const known = pinnedModels.find(({ name }) => name === model);
    if (known !== undefined) return known;
    const names = pinnedModels.map(({ name }) => name).join(", ");
    throw new ModelNotFoundError(model, `is not a model that pond knows: ${names}`);
  }
  const refuse = (reason: string): never => {
    throw new ModelInvalidError(model.name, `its manifest ${reason}`);
  };
  for (const name of [model.name, model.revision, ...model.files.map((file) => file.name)]) {
    if (!safeName.test(name))
      refuse(`has the name ${JSON.stringify(name)}, which is not a file name`);
  }
  for (const { name, sha256, bytes } of model.files) {
    if (!/^[0-9a-f]{64}$/.test(sha256)) refuse(`has no SHA-256 of ${name}`);
    if (!Number.isSafeInteger(bytes) || bytes <= 0) refuse(`has no size of ${name}`);
  }
  for (const name of ["model.onnx", "tokenizer.json"]) {
    if (!model.files.some((file) => file.name === name)) refuse(`has no ${name}`);
  }
  return model;
}

/** Where a model is kept. Each revision has a folder of its own, so nothing is ever mixed. */
export function folderOf({ name, revision }: PinnedModel, cacheDirectory: string): string {
  return join(cacheDirectory, `${name}@${revision.slice(0, 12)}`);
}

/**
 * Whether every file of a model is there in full size. Their content was checked before they got
 * their names.
 *
 * @throws {ModelNotFoundError} for a name that is not in `pinnedModels`.
 */
export async function isDownloaded(
  model: string | PinnedModel,
  cacheDirectory: string,
): Promise<boolean> {
  const manifest = manifestOf(model);
  const folder = folderOf(manifest, cacheDirectory);
  for (const { name, bytes } of manifest.files) {
    if ((await sizeOf(join(folder, name))) !== bytes) return false;
  }
  return true;
}

/**
 * Deletes a model's files, of every revision, including half-downloaded ones.
 *
 * @returns Whether there were any.
 * @throws {ModelNotFoundError} for a name that is not in `pinnedModels`.
 */
export async function removeModel(
  model: string | PinnedModel,
  cacheDirectory: string,
): Promise<boolean> {
  const { name } = manifestOf(model);
  const entries = await readdir(cacheDirectory).catch((error: unknown) => {
    if (isFileNotFound(error)) return [];
    throw error;
  });
  const folders = entries.filter((entry) => entry.startsWith(`${name}@`));
  for (const folder of folders) await rm(join(cacheDirectory, folder), { recursive: true });
  return folders.length > 0;
}

/** The size of a file in bytes; undefined if there is none. */
export async function sizeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (isFileNotFound(error)) return undefined;
    throw error;
  }
}
