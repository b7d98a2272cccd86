import { utimesSync } from "node:fs";
import { ModelFolder } from "@pond/embed-testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEmbedder } from "../open-embedder.ts";
import { onnxWeights } from "./onnx-weights.ts";
import { readWeightLengths } from "./weight-lengths.ts";

type Bytes = string | Uint8Array | readonly number[];

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
  return Buffer.from([...bytes, left]);
}

const joined = (parts: readonly Bytes[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))),
  );

/** What comes before so many bytes of a field, by the format's number for it. */
const header = (number: number, length: number) => joined([varint(number * 8 + 2), varint(length)]);

function field(number: number, ...content: readonly Bytes[]): Buffer {
  const bytes = joined(content);
  return joined([header(number, bytes.length), bytes]);
}

const graph = (...content: readonly Bytes[]) => field(7, ...content);
const tensor = (...content: readonly Bytes[]) => field(5, ...content);
/** Something in an attribute of a node. */
const inNode = (...content: readonly Bytes[]) => field(1, field(1, "in"), field(5, ...content));

const entry = (key: string, value: string) => field(13, field(1, key), field(2, value));
const placed = (location: string, offset = "8", length = "16") =>
  joined([entry("location", location), entry("offset", offset), entry("length", length)]);

/** Graphs, each in a node of the one around it. */
function nested(deep: number, ...innermost: readonly Bytes[]): Buffer {
  const parts = [joined(innermost)];
  let length = parts[0]?.length ?? 0;
  for (let at = 0; at < deep * 3; at++) {
    const before = header([6, 5, 1][at % 3] ?? 0, length);
    parts.push(before);
    length += before.length;
  }
  return joined(parts.reverse());
}

/** What a graph names, and how much is read for that; `size` says how much of it there seems to be. */
function look(bytes: Buffer, size = bytes.length) {
  let bytesRead = 0;
  const named = onnxWeights((into, at) => {
    const length = Math.max(0, Math.min(into.length, size - at));
    into.fill(0, 0, length);
    if (at < bytes.length) bytes.copy(into, 0, at);
    bytesRead += length;
    return length;
  }, size);
  return { named: Object.fromEntries(named), bytesRead };
}

describe("the weights that a graph names", () => {
  const nodes = Array.from({ length: 3000 }, (_, at) => field(1, field(3, `location of ${at}`)));

  it.each<[string, readonly Bytes[]]>([
    ["of the graph itself", [tensor(placed("w.bin"))]],
    ["in an attribute", [inNode(tensor(placed("w.bin")))]],
    ["in an attribute's list of tensors", [inNode(field(10, placed("w.bin")))]],
    ["in an attribute's list of graphs", [inNode(field(11, tensor(placed("w.bin"))))]],
    ["in deeply nested graphs", [nested(30, tensor(placed("w.bin")))]],
    [
      "after numeric fields",
      [[0x48, 0xff, 1, 0x49, ...Buffer.alloc(8), 0x4d, 1, 2, 3, 4], tensor(placed("w.bin"))],
    ],
    [
      "after content that takes several reads",
      [...nodes, tensor(placed("w.bin", "0", "3")), tensor(placed("w.bin"))],
    ],
    [
      "after weights inside the graph",
      [tensor(field(9, Buffer.alloc(90_000))), tensor(placed("w.bin"))],
    ],
    [
      "after a long entry of another kind",
      [tensor(entry("made by", "x".repeat(5000)), placed("w.bin"))],
    ],
    ["after its own long name", [tensor(field(8, "n".repeat(5000)), placed("w.bin"))]],
  ])("are found in a tensor %s", (_, content) => {
    expect(look(graph(...content)).named).toEqual({ "w.bin": 24 });
  });

  it("are found without reading the weights inside the graph", () => {
    const own = 8_000_000_000;
    const before = tensor(placed("w.bin"));
    const weights = joined([header(5, header(9, own).length + own), header(9, own)]);
    const length = before.length + weights.length + own;
    const bytes = joined([header(7, length), before, weights]);

    const { named, bytesRead } = look(bytes, bytes.length + own);

    expect(named).toEqual({ "w.bin": 24 });
    expect(bytesRead).toBeLessThan(100_000);
  });

  it("are searched for only as deep as the runtime reads nested graphs", () => {
    expect(look(graph(nested(34, tensor(placed("w.bin"))))).named).toEqual({});
    expect(look(graph(nested(10_000, tensor(placed("w.bin"))))).named).toEqual({});
  });
});

describe("a hostile graph", () => {
  let folder: ModelFolder;
  beforeEach(async () => {
    folder = await ModelFolder.with({ dimension: 8 });
  });
  afterEach(() => folder.remove());

  async function embedWith(bytes: Uint8Array): Promise<unknown> {
    folder.write("model.onnx", bytes);
    const embedder = await openEmbedder({ kind: "folder", folder: folder.path });
    try {
      return await embedder.embed(["hm"], { kind: "passage" });
    } finally {
      await embedder.close();
    }
  }

  const whole = tensor(placed("w.bin"));
  const overlong = (byte: number) => [...Buffer.alloc(10, byte | 128), 0];
  it.each<[string, Uint8Array, string]>([
    ["cut in a tensor", graph(whole).subarray(0, -3), "model_incomplete"],
    ["longer than its file", joined([header(7, 2 ** 60), whole]), "model_incomplete"],
    ["with a field longer than the one around it", graph(header(5, 1000), whole), "model_invalid"],
    [
      "with a length beyond the range of numbers",
      graph(varint(5 * 8 + 2), overlong(127), whole),
      "model_invalid",
    ],
    ["with an overlong number", joined([overlong(58), whole]), "model_invalid"],
    ["with an overlong number inside", graph(overlong(42), whole), "model_invalid"],
    ["with a cut-off number", graph([0xff]), "model_invalid"],
    ["inside a protobuf group", joined([[0x3b], whole, [0x3c]]), "model_invalid"],
    ["with protobuf groups inside", graph([0x2b], placed("w.bin"), [0x2c]), "model_invalid"],
    ["with fields of an unknown kind", graph([0x2e], whole, [0x2f]), "model_invalid"],
    ["nested 10,000 deep", graph(nested(10_000, whole)), "model_invalid"],
    ["of millions of fields", graph(Buffer.alloc(3_000_000, 8)), "model_invalid"],
    [
      "with an entry of millions of fields",
      graph(tensor(field(13, "location", Buffer.alloc(3_000_000, 8)))),
      "model_invalid",
    ],
    [
      "whose name of a weights file is not text",
      graph(tensor(field(13, field(1, "location"), field(2, [0, 255])))),
      "model_incomplete",
    ],
    [
      "whose name of a weights file is too long for a file system",
      graph(tensor(placed("w".repeat(400)))),
      "model_incomplete",
    ],
    [
      "whose name of a weights file is longer than any path",
      graph(tensor(placed("w/".repeat(4000)))),
      "model_invalid",
    ],
    [
      "that names a folder as its weights file",
      graph(tensor(placed("1_Pooling"))),
      "model_incomplete",
    ],
    [
      "with an infinite offset into a weights file",
      graph(tensor(placed("tokenizer.json", "9e999"))),
      "model_incomplete",
    ],
  ])("%s is refused", async (_, bytes, code) => {
    await expect(embedWith(bytes)).rejects.toMatchObject({ code });
  });
});

it("reads a graph again only after it was written to", async () => {
  const folder = await ModelFolder.with({ dimension: 8, weightsFile: "weights.bin" });
  try {
    const path = folder.file("model.onnx");
    const first = await readWeightLengths(path);
    const second = await readWeightLengths(path);
    utimesSync(path, 1, 1);
    const third = await readWeightLengths(path);

    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(third).toEqual(first);
  } finally {
    folder.remove();
  }
});
