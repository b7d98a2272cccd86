import { randomBytes } from "node:crypto";
import { zstdCompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { decompress } from "./decompress.ts";

/** A frame that decoders skip, as `pzstd` and seekable files have them. */
function skippable(bytes: number): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a5e);
  head.writeUInt32LE(bytes, 4);
  return Buffer.concat([head, randomBytes(bytes)]);
}

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const texts = [100, 1, 0, 70_000, 16_384, 65_536, 300].map((bytes) => randomBytes(bytes));
// What is held at once is full many times over before the frame ends.
const long = Buffer.alloc(3_000_000, "loom ");
const frames = [
  skippable(0),
  ...texts.map((text) => zstdCompressSync(text)),
  skippable(100_000),
  zstdCompressSync(long),
  zstdCompressSync(Buffer.from("end")),
  skippable(7),
];

it.each([7, 4096, 65_536, 100_001, 1_000_000])(
  "reads every frame from chunks of %i bytes (`adapter-integrity-no-silent-drops`)",
  async (size) => {
    const read = await Array.fromAsync(decompress(chunksOf(Buffer.concat(frames), size)));

    const wanted = Buffer.concat([...texts, long, Buffer.from("end")]);
    expect(Buffer.concat(read).equals(wanted)).toBe(true);
  },
);

it.each([
  ["nothing", Buffer.alloc(0)],
  ["no frame", Buffer.from("garbage")],
  ["a frame without its end", zstdCompressSync(randomBytes(1000)).subarray(0, -1)],
  ["a skippable frame without its end", skippable(1000).subarray(0, -1)],
  ["a frame with a stray byte after it", Buffer.concat([zstdCompressSync("a"), Buffer.from("x")])],
])("refuses compressed bytes that hold %s", async (_, bytes) => {
  for (const size of [1, 5, 100_000]) {
    await expect(Array.fromAsync(decompress(chunksOf(bytes, size)))).rejects.toThrow();
  }
});

it("passes on an error of its input, and closes an input that is not read to the end", async () => {
  let isClosed = false;
  async function* endless(): AsyncGenerator<Buffer> {
    try {
      for (;;) yield zstdCompressSync(randomBytes(100_000));
    } finally {
      isClosed = true;
    }
  }
  async function* broken(): AsyncGenerator<Buffer> {
    yield zstdCompressSync(randomBytes(100_000)).subarray(0, 50_000);
    throw new Error("EIO");
  }

  for await (const chunk of decompress(endless())) if (chunk.length > 0) break;
  expect(isClosed).toBe(true);
  await expect(Array.fromAsync(decompress(broken()))).rejects.toThrow("EIO");
});
