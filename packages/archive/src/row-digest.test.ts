import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { RowDigest } from "./row-digest.ts";

it("hashes cells with SHA-256 in the encoding that the README describes", () => {
  const digest = new RowDigest(["text", "integer", "number", "bytes", "vector", "none"]);

  digest.add({
    text: "é",
    integer: -2n,
    number: 0.5,
    bytes: Uint8Array.of(7, 8),
    vector: Float32Array.of(1, -2),
    none: null,
  });

  const cells = [
    ["01", "0200000000000000", "c3a9"],
    ["02", "feffffffffffffff"],
    ["03", "000000000000e03f"],
    ["04", "0200000000000000", "0708"],
    ["05", "0200000000000000", "0000803f", "000000c0"],
    ["00", "0000000000000000"],
  ];
  const bytes = Buffer.from(cells.flat().join(""), "hex");
  expect([digest.rows, digest.bytes, digest.digest()]).toEqual([
    1,
    bytes.length,
    hash("sha256", bytes),
  ]);
});

it("hashes cells of any length, and texts with lone surrogates, in the same encoding", () => {
  const lengths = [0, 1, 2_000, 2_727, 2_728, 4_095, 8_183, 8_192, 8_193, 40_000];
  const texts = ["a", "é", "語", "😀", "\ud800"].flatMap((unit) =>
    lengths.map((length) => unit.repeat(length)),
  );
  const arrays = lengths.map((length) => new Uint8Array(length).fill(length));
  const digest = new RowDigest(["cell"]);

  for (const cell of [...texts, ...arrays]) digest.add({ cell });

  const cellOf = (tag: number, bytes: Uint8Array): Buffer => {
    const head = Buffer.of(tag, ...new Uint8Array(8));
    head.writeUInt32LE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  };
  const bytes = Buffer.concat([
    ...texts.map((text) => cellOf(1, Buffer.from(text, "utf8"))),
    ...arrays.map((array) => cellOf(4, array)),
  ]);
  expect([digest.rows, digest.bytes, digest.digest()]).toEqual([
    texts.length + arrays.length,
    bytes.length,
    hash("sha256", bytes),
  ]);
});
