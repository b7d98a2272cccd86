import { expect, it } from "vitest";
import { nearestTo } from "./nearest.ts";

const words = ["enabled", "model", "folder", "url", "query_prefix"];

it.each([
  ["modell", "model"],
  ["Model", "model"],
  ["enabeld", "enabled"],
  ["queryprefix", "query_prefix"],
  ["uri", "url"],
  ["", undefined],
  ["temperature", undefined],
  ["m".repeat(100_000), undefined],
])("suggests for %j the word %j", (typed, expected) => {
  expect(nearestTo(typed, words)).toBe(expected);
});
