import { open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ModelIncompleteError, ModelNotFoundError } from "../errors.ts";
import { isMissing } from "../json-file.ts";
import { onnxLength } from "./onnx-length.ts";

/** Where exports put the graph, best first. */
const usual = [
  "model.onnx",
  "onnx/model.onnx",
  "model_quantized.onnx",
  "onnx/model_quantized.onnx",
  "onnx/model_int8.onnx",
];

const lfsPointer = "version https://git-lfs.github.com/spec/";

/**
 * The ONNX file of a folder: one of the usual names, or the only one there is.
 *
 * @throws {ModelNotFoundError} where there is no such folder.
 * @throws {ModelIncompleteError} where there is none, several, or one that is only being downloaded.
 */
export async function findModelFile(folder: string): Promise<string> {
  const names = [
    ...(await namesIn(folder, folder)),
    ...(await namesIn(folder, join(folder, "onnx"), "onnx/")),
  ];
  const found = names.filter((name) => name.endsWith(".onnx"));
  const best = usual.find((name) => found.includes(name)) ?? (found.length === 1 && found[0]);
  if (best) return join(folder, best);
  const part = names.find((name) => /\.onnx\.(part|incomplete|tmp|crdownload)$/.test(name));
  const reason =
    part !== undefined
      ? `is missing; ${part} is there, a download that was not finished`
      : found.length > 1
        ? `is missing, and which of ${found.join(", ")} is meant is not clear`
        : "is missing";
  throw new ModelIncompleteError(folder, "model.onnx", reason);
}

/** Files beside a graph that hold weights it is too large for, as exporters name them. */
export async function weightFilesOf(folder: string, modelFile: string): Promise<string[]> {
  const names = await namesIn(folder, dirname(modelFile));
  const graph = basename(modelFile);
  return names
    .filter((name) => name.startsWith(graph) && /^[._]data(_\d+)?$/.test(name.slice(graph.length)))
    .map((name) => join(dirname(modelFile), name));
}

async function namesIn(model: string, folder: string, prefix = ""): Promise<string[]> {
  try {
    return (await readdir(folder)).sort().map((name) => prefix + name);
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (prefix !== "") return [];
    throw new ModelNotFoundError(model, "there is no such folder", { cause: error });
  }
}

/**
 * Looks whether a file of a model is there and whole, as far as a few reads tell.
 *
 * @param bytes - How long it has to be, where that is known.
 * @throws {ModelIncompleteError} where it is not.
 */
export async function requireWhole(
  model: string,
  folder: string,
  name: string,
  bytes?: number,
): Promise<void> {
  const refuse = (reason: string): never => {
    throw new ModelIncompleteError(model, name, reason);
  };
  const file = await open(join(folder, name)).catch((error: unknown) => {
    return isMissing(error) ? refuse("is missing") : Promise.reject(error);
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) refuse("is no file");
    if (stat.size === 0) refuse("is empty");
    const { buffer } = await file.read(Buffer.alloc(lfsPointer.length), 0, undefined, 0);
    if (buffer.toString("latin1") === lfsPointer) {
      refuse("is a Git LFS pointer and not the file itself; run git lfs pull");
    }
    const whole = bytes ?? (name.endsWith(".onnx") ? await onnxLength(file, stat.size) : undefined);
    if (whole !== undefined && whole !== stat.size) {
      refuse(`has ${stat.size} bytes instead of ${whole}; it was not downloaded to its end`);
    }
  } finally {
    await file.close();
  }
}
