import { readSync } from "node:fs";
import { open } from "node:fs/promises";
import { onnxWeights } from "./onnx-weights.ts";

/** A model is opened, and opened again to be loaded: by then its graph is still the same. */
const known = new Map<string, { readonly stamp: string; readonly weights: WeightLengths }>();

/** Files beside a graph by the names it has for them, and how many bytes it reads of each. */
export type WeightLengths = ReadonlyMap<string, number>;

/** See {@link onnxWeights}; a file is read again only where it was written to since. */
export async function weightsNamedIn(modelFile: string): Promise<WeightLengths> {
  const file = await open(modelFile);
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
    const stamp = [dev, ino, size, mtimeNs, ctimeNs].join();
    const last = known.get(modelFile);
    if (last?.stamp === stamp) return last.weights;
    // Up to hundreds of small reads, one after the other: on a busy machine a wait for each is long.
    const read = (into: Buffer, at: number) => readSync(file.fd, into, 0, into.length, at);
    const weights = onnxWeights(read, Number(size));
    known.set(modelFile, { stamp, weights });
    return weights;
  } finally {
    await file.close();
  }
}
