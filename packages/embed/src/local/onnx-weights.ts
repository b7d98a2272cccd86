import { varint } from "./onnx-length.ts";

/** Where tensors are in the messages of an ONNX file, by the format's field numbers. */
const messages: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  model: { 7: "graph" },
  graph: { 1: "node", 5: "tensor" },
  node: { 5: "attribute" },
  attribute: { 5: "tensor", 6: "graph", 10: "tensor", 11: "graph" },
  tensor: { 13: "entry" },
};
const entry = { key: 1, value: 2 };

/** A graph has thousands of fields; another kind of file may look as if it had millions. */
const maxFields = 500_000;
/** Nesting depth; the runtime's own reader goes no deeper. */
const maxDepth = 100;
const maxHeaderBytes = 20;
/** No system takes a longer path. */
const maxTextBytes = 4096;

/** Fills a buffer with the bytes of a file from `at` on. @returns How many bytes there were. */
export type ReadAt = (into: Buffer, at: number) => number;

type Field = { readonly number: number; readonly start: number; readonly end: number };

/**
 * The files beside a graph that hold its weights, as the graph itself names them, and the minimum
 * length of each in bytes. Weights inside the graph are skipped without being read. For a file that
 * is not such a graph it returns what it has found so far: the runtime refuses the file and says
 * why.
 */
export function onnxWeights(read: ReadAt, bytes: number): ReadonlyMap<string, number> {
  const file = new FileWindow(read);
  const found = new Map<string, number>();
  let fields = 0;
  walk("model", 0, bytes, 1);
  return found;

  /** @returns False if it is not such a message. */
  function walk(kind: string, start: number, end: number, depth: number): boolean {
    if (depth > maxDepth) return false;
    const kinds = messages[kind];
    let place: Map<string, string> | undefined;
    for (let at = start; at < end; ) {
      const field = fieldAt(at, end);
      if (field === undefined) return false;
      at = field.end;
      const inside = kinds?.[field.number];
      if (inside === undefined) continue;
      if (inside === "entry") {
        const texts = textsOf(field);
        if (texts === undefined) return false;
        place ??= new Map();
        place.set(texts.get(entry.key) ?? "", texts.get(entry.value) ?? "");
      } else if (!walk(inside, field.start, field.end, depth + 1)) {
        return false;
      }
    }
    const name = place?.get("location");
    if (name !== undefined) {
      const least = Number(place?.get("offset") ?? 0) + Number(place?.get("length") ?? 0);
      found.set(name, Math.max(found.get(name) ?? 0, least || 0));
    }
    return true;
  }

  function textsOf({ start, end }: Field): ReadonlyMap<number, string> | undefined {
    const texts = new Map<number, string>();
    for (let at = start; at < end; ) {
      const field = fieldAt(at, end);
      if (field === undefined) return undefined;
      at = field.end;
      const length = field.end - field.start;
      if (length > maxTextBytes) continue;
      const from = file.seek(field.start, length);
      texts.set(field.number, file.window.toString("utf8", from, from + length));
    }
    return texts;
  }

  /** @returns Undefined if no field ends within its message. */
  function fieldAt(at: number, end: number): Field | undefined {
    if (++fields > maxFields) return undefined;
    const from = file.seek(at, maxHeaderBytes);
    const tag = varint(file.window, from);
    if (tag === undefined) return undefined;
    const kind = tag.value & 7;
    const value = kind === 1 || kind === 5 ? undefined : varint(file.window, tag.end);
    const length = lengthOf(kind, value, tag.end);
    const start = at + (kind === 2 && value ? value.end : tag.end) - from;
    if (length === undefined || !(start + length <= end)) return undefined;
    return { number: kind === 2 ? Math.floor(tag.value / 8) : -1, start, end: start + length };
  }
}

function lengthOf(
  kind: number,
  value: ReturnType<typeof varint>,
  start: number,
): number | undefined {
  switch (kind) {
    case 0:
      return value && value.end - start;
    case 1:
      return 8;
    case 2:
      return value?.value;
    case 5:
      return 4;
    default: // Groups, which no such graph has, and types that the format does not have.
      return undefined;
  }
}

const windowBytes = { sequential: 65_536, afterSkip: 4096 };

/**
 * The part of a file that was read last: much when reading goes on from it, little after a skip.
 */
class FileWindow {
  readonly #read: ReadAt;
  readonly #buffer = Buffer.alloc(windowBytes.sequential);
  #from = 0;
  window: Buffer = this.#buffer.subarray(0, 0);

  constructor(read: ReadAt) {
    this.#read = read;
  }

  /**
   * The position in the window of a place in the file. So many bytes from there on are in the
   * window, as far as the file has them.
   */
  seek(at: number, length: number): number {
    const end = this.#from + this.window.length;
    if (at >= this.#from && at + length <= end) return at - this.#from;
    const isSequential = at >= this.#from && at <= end;
    const into = this.#buffer.subarray(
      0,
      isSequential ? windowBytes.sequential : windowBytes.afterSkip,
    );
    this.window = into.subarray(0, this.#read(into, at));
    this.#from = at;
    return 0;
  }
}
