import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { TemporaryHome } from "./home.test-kit.ts";
import { unpack, unpackedStart } from "./unpack.ts";

const home = new TemporaryHome();
const text = Buffer.alloc(1_000_000, "loom ");
const packed = gzipSync(text);

async function unpacked(bytes: Uint8Array, maxBytes?: number): Promise<Buffer> {
  const chunks = await Array.fromAsync(unpack(home.put("x.jsonl.gz", bytes), "omp", maxBytes));
  return Buffer.concat(chunks);
}

it("gives back the compressed bytes, also from several gzip members", async () => {
  const two = Buffer.concat([packed, gzipSync("end")]);

  expect((await unpacked(packed, text.length)).equals(text)).toBe(true);
  expect((await unpacked(two)).equals(Buffer.concat([text, Buffer.from("end")]))).toBe(true);
});

it.each([
  ["not gzip", Buffer.from("garbage"), undefined, "cannot be unpacked (Z_DATA_ERROR)"],
  ["truncated gzip", packed.subarray(0, -20), undefined, "cannot be unpacked (Z_BUF_ERROR)"],
  [
    "more bytes than allowed when unpacked",
    packed,
    text.length - 1,
    "more than 999999 bytes when unpacked",
  ],
])("refuses a file and says why: %s (`adapter-bounded-values`)", async (_, bytes, most, reason) => {
  await expect(unpacked(bytes, most)).rejects.toMatchObject({
    details: { uri: expect.stringContaining("x.jsonl.gz"), reason },
  });
});

it("passes on that a file is gone, and may be left before its end", async () => {
  await expect(Array.fromAsync(unpack(`${home.path}/gone.jsonl.gz`, "omp"))).rejects.toMatchObject({
    code: "ENOENT",
  });
  for await (const chunk of unpack(home.put("x.jsonl.gz", packed), "omp")) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
});

it("unpacks the start of a file from its first bytes, and nothing that is no gzip", () => {
  const start = unpackedStart(packed.subarray(0, 500));

  expect(start?.subarray(0, 5).toString()).toBe("loom ");
  expect(unpackedStart(Buffer.from("garbage"))).toBeUndefined();
});
