import { expect, it } from "vitest";
import { toUnitVector } from "../unit-vector.ts";
import { pool } from "./pooling.ts";

// Two texts of two and one tokens, padded to three, three numbers a token.
const hidden = Float32Array.of(
  ...[1, 2, 2, 3, 4, 2, 90, 90, 90],
  ...[0, 0, 5, 90, 90, 90, 90, 90, 90],
);

it.each([
  ["mean", [2, 3, 2]],
  ["cls", [1, 2, 2]],
] as const)("pools the tokens of each text by %s, without the padding", (pooling, first) => {
  expect(pool(hidden, [2, 1], 3, 3, pooling)).toEqual([
    Float32Array.of(...first),
    Float32Array.of(0, 0, 5),
  ]);
});

it.each([
  ["a vector", [3, 0, 4], Float32Array.of(0.6, 0, 0.8)],
  ["a tiny vector", [0, 1e-20], Float32Array.of(0, 1)],
  ["a zero vector", [0, 0], undefined],
  ["a vector with NaN", [1, Number.NaN], undefined],
  ["a vector with infinity", [1, Number.POSITIVE_INFINITY], undefined],
  ["an empty vector", [], undefined],
])("scales %s to length 1, or gives undefined", (_, vector, expected) => {
  expect(toUnitVector(vector)).toEqual(expected);
});
