import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { ModelIncompleteError, ModelNotFoundError } from "../errors.ts";
import { isFileNotFound } from "../json-file.ts";
import { onnxLength } from "./onnx-length.ts";
import { readWeightLengths } from "./weight-lengths.ts";

/** Where exports put the graph, the preferred first. */
const usualNames = [
  "model.onnx",
  "onnx/model.onnx",
  "model_quantized.onnx",
  "onnx/model_quantized.onnx",
  "onnx/model_int8.onnx",
];

const lfsPointer = "version https://git-lfs.github.com/spec/";

/**
 * Finds the ONNX file of a folder: one with a usual name, or the only one there.
 *
 * @throws {ModelNotFoundError} if there is no such folder.
 * @throws {ModelIncompleteError} if there is none, if there are several, or if it is still being
 * downloaded.
 */
export async function findModelFile(folder: string): Promise<string> {
  const names = [
    ...(await namesIn(folder, folder)),
    ...(await namesIn(folder, join(folder, "onnx"), "onnx/")),
  ];
  const found = names.filter((name) => name.endsWith(".onnx"));
  const best = usualNames.find((name) => found.includes(name)) ?? (found.length === 1 && found[0]);
  if (best) return join(folder, best);
  const part = names.find((name) => /\.onnx\.(part|incomplete|tmp|crdownload)$/.test(name));
  const reason =
    part !== undefined
      ? `is missing; ${part} is there, a download that was not finished`
      : found.length > 1
        ? `is missing, and it is not clear which of ${found.join(", ")} is meant`
        : "is missing";
  throw new ModelIncompleteError(folder, "model.onnx", reason);
}

/**
 * The files beside a graph that hold weights too large for it: those that the graph names, and
 * those with the names that exporters use.
 *
 * @throws {ModelIncompleteError} if one is missing, or shorter than the graph needs.
 */
export async function weightFilesOf(folder: string, modelFile: string): Promise<string[]> {
  const beside = dirname(modelFile);
  const graph = basename(modelFile);
  const usual = (await namesIn(folder, beside)).filter(
    (name) => name.startsWith(graph) && /^[._]data(_\d+)?$/.test(name.slice(graph.length)),
  );
  const named = [...(await readWeightLengths(modelFile))];
  const lengths = new Map(named.map(([name, minBytes]) => [join(beside, name), minBytes]));
  const files = new Set([...usual.map((name) => join(beside, name)), ...lengths.keys()]);
  // The runtime reads no file that is elsewhere, and says so.
  const own = [...files].filter((file) => file.startsWith(join(beside, "/"))).sort();
  for (const file of own) {
    await requireComplete(folder, folder, relative(folder, file));
    await requireLength(folder, file, lengths.get(file) ?? 0);
  }
  return own;
}

async function requireLength(folder: string, file: string, minBytes: number): Promise<void> {
  const { size } = await stat(file);
  if (size >= minBytes) return;
  const reason = `has ${size} bytes and not the ${minBytes} that the model reads; its download is not complete`;
  throw new ModelIncompleteError(folder, relative(folder, file), reason);
}

async function namesIn(model: string, folder: string, prefix = ""): Promise<string[]> {
  try {
    return (await readdir(folder)).sort().map((name) => prefix + name);
  } catch (error) {
    if (!isFileNotFound(error)) throw error;
    if (prefix !== "") return [];
    throw new ModelNotFoundError(model, "there is no such folder", { cause: error });
  }
}

/**
 * Checks that a file of a model exists and is complete, as far as a few reads can tell.
 *
 * @param bytes - Its expected length, if that is known.
 * @throws {ModelIncompleteError} if it is not.
 */
export async function requireComplete(
  model: string,
  folder: string,
  name: string,
  bytes?: number,
): Promise<void> {
  const refuse = (reason: string): never => {
    throw new ModelIncompleteError(model, name, reason);
  };
  const file = await open(join(folder, name)).catch((error: unknown) => {
    return isFileNotFound(error) ? refuse("is missing") : Promise.reject(error);
  });
  try {
    const stat = await file.stat();
    if (!stat.isFile()) refuse("is not a file");
    if (stat.size === 0) refuse("is empty");
    const { buffer } = await file.read(Buffer.alloc(lfsPointer.length), 0, undefined, 0);
    if (buffer.toString("latin1") === lfsPointer) {
      refuse("is a Git LFS pointer and not the file itself; run git lfs pull");
    }
    const whole = bytes ?? (name.endsWith(".onnx") ? await onnxLength(file, stat.size) : undefined);
    if (whole !== undefined && whole !== stat.size) {
      refuse(`has ${stat.size} bytes instead of ${whole}; its download is not complete`);
    }
  } finally {
    await file.close();
  }
}
