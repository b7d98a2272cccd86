import { expect, it } from "vitest";
import { evictOldest } from "./evict-oldest.ts";

it("removes the entries that were added longest ago", () => {
  const map = new Map(["a", "b", "c"].map((key) => [key, 0]));
  map.delete("a");
  map.set("a", 1);

  evictOldest(map, 3);
  expect([...map.keys()]).toEqual(["b", "c", "a"]);
  evictOldest(map, 1);
  expect([...map.keys()]).toEqual(["a"]);
});
