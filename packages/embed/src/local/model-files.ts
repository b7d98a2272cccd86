import { open, readdir, stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { ModelIncompleteError, ModelNotFoundError } from "../errors.ts";
import { isMissing } from "../json-file.ts";
import { onnxLength } from "./onnx-length.ts";
import { weightsNamedIn } from "./weights-named.ts";

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
        ? `is missing, and it is not clear which of ${found.join(", ")} is meant`
        : "is missing";
  throw new ModelIncompleteError(folder, "model.onnx", reason);
}

/**
 * Files beside a graph that hold weights it is too large for: those that it names, and those that are
 * called as exporters call them.
 *
 * @throws {ModelIncompleteError} where one is missing, or has not all that the graph reads of it.
 */
export async function weightFilesOf(folder: string, modelFile: string): Promise<string[]> {
  const beside = dirname(modelFile);
  const graph = basename(modelFile);
  const usual = (await namesIn(folder, beside)).filter(
    (name) => name.startsWith(graph) && /^[._]data(_\d+)?$/.test(name.slice(graph.length)),
  );
  const named = [...(await weightsNamedIn(modelFile))];
  const lengths = new Map(named.map(([name, least]) => [join(beside, name), least]));
  const files = new Set([...usual.map((name) => join(beside, name)), ...lengths.keys()]);
  // The runtime reads none that is elsewhere, and says so.
  const own = [...files].filter((file) => file.startsWith(join(beside, "/"))).sort();
  for (const file of own) {
    await requireWhole(folder, folder, relative(folder, file));
    await requireLength(folder, file, lengths.get(file) ?? 0);
  }
  return own;
}

async function requireLength(folder: string, file: string, least: number): Promise<void> {
  const { size } = await stat(file);
  if (size >= least) return;
  const reason = `has ${size} bytes and not the ${least} that the model reads; its download is not complete`;
  throw new ModelIncompleteError(folder, relative(folder, file), reason);
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
