import { readSync } from "node:fs";
import { open } from "node:fs/promises";
import { onnxWeights } from "./onnx-weights.ts";

/**
 * A model is opened, and opened again when it is loaded; its graph is usually still the same then.
 */
const cache = new Map<string, { readonly stamp: string; readonly weights: WeightLengths }>();

/** The files beside a graph by the names that it uses, and how many bytes it reads of each. */
export type WeightLengths = ReadonlyMap<string, number>;

/** See {@link onnxWeights}. A file is read again only if it was written since. */
export async function readWeightLengths(modelFile: string): Promise<WeightLengths> {
  const file = await open(modelFile);
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    const stamp = [dev, ino, size, mtimeNs, ctimeNs].join();
    const last = cache.get(modelFile);
    if (last?.stamp === stamp) return last.weights;
    // Synchronous: there may be hundreds of small reads in a row, and awaiting each takes long on a
    // busy machine.
    const read = (into: Buffer, at: number) => readSync(file.fd, into, 0, into.length, at);
    const weights = onnxWeights(read, Number(size));
    cache.set(modelFile, { stamp, weights });
    return weights;
  } finally {
    await file.close();
  }
}
