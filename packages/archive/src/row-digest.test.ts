import { hash } from "node:crypto";
import { expect, it } from "vitest";
import { RowDigest } from "./row-digest.ts";

it("is the SHA-256 of the cells, as the README describes them", () => {
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
