import type { FileHandle } from "node:fs/promises";
import { varint } from "./onnx-length.ts";

/** Where in the messages of an ONNX file tensors are, by the format's field numbers. */
const messages: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  model: { 7: "graph" },
  graph: { 1: "node", 5: "tensor" },
  node: { 5: "attribute" },
  attribute: { 5: "tensor", 6: "graph", 10: "tensor", 11: "graph" },
  tensor: { 13: "entry" },
};
const entry = { key: 1, value: 2 };

const longestHeader = 20;
const chunkBytes = 16_384;
/** A graph has thousands of fields, and a file that is none may look as if it had millions. */
const mostFields = 500_000;

/**
 * The files beside a graph that hold its weights, as the graph itself names them, and how many bytes
 * each has to have at least. Weights within the graph are passed over, not read.
 */
export async function onnxWeights(
  file: FileHandle,
  bytes: number,
): Promise<ReadonlyMap<string, number>> {
  const read = chunksOf(file);
  const found = new Map<string, number>();
  let fields = 0;
  await walk("model", 0, bytes);
  return found;

  /** @returns False where it is no such message. */
  async function walk(kind: string, start: number, end: number): Promise<boolean> {
    const place = new Map<string, string>();
    for (let at = start; at < end; ) {
      const field = await fieldAt(at, end);
      if (field === undefined || ++fields > mostFields) return false;
      at = field.end;
      const inside = messages[kind]?.[field.number ?? -1];
      if (inside === "entry") {
        const [key, value] = await entryOf(field.start, field.end);
        place.set(key, value);
      } else if (inside !== undefined && !(await walk(inside, field.start, field.end))) {
        return false;
      }
    }
    const location = place.get("location");
    if (location !== undefined) {
      const least = Number(place.get("offset") ?? 0) + Number(place.get("length") ?? 0);
      found.set(location, Math.max(found.get(location) ?? 0, least || 0));
    }
    return true;
  }

  async function fieldAt(at: number, end: number) {
    const header = await read(at, longestHeader);
    const tag = varint(header, 0);
    if (tag === undefined) return undefined;
    const kind = tag.value & 7;
    const isLong = kind === 2;
    const value = varint(header, tag.end) ?? { value: Number.NaN, end: Number.NaN };
    const length = [value.end - tag.end, 8, value.value, Number.NaN, Number.NaN, 4][kind];
    const start = at + (isLong ? value.end : tag.end);
    const fieldEnd = start + (length ?? Number.NaN);
    if (!(fieldEnd <= end)) return undefined;
    return { number: isLong ? tag.value >>> 3 : undefined, start, end: fieldEnd };
  }

  async function entryOf(start: number, end: number): Promise<[string, string]> {
    const texts = new Map<number, string>();
    for (let at = start; at < end; ) {
      const field = await fieldAt(at, end);
      if (field === undefined) break;
      at = field.end;
      texts.set(
        field.number ?? -1,
        (await read(field.start, field.end - field.start)).toString("utf8"),
      );
    }
    return [texts.get(entry.key) ?? "", texts.get(entry.value) ?? ""];
  }
}

/** Reads of few bytes that are near each other, from larger ones. */
function chunksOf(file: FileHandle): (at: number, length: number) => Promise<Buffer> {
  let chunk = Buffer.alloc(0);
  let from = 0;
  return async (at, length) => {
    if (at < from || at + length > from + chunk.length) {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(Math.max(chunkBytes, Math.min(length, 65_536))),
        0,
        undefined,
        at,
      );
      chunk = buffer.subarray(0, bytesRead);
      from = at;
    }
    return chunk.subarray(at - from, at - from + length);
  };
}
