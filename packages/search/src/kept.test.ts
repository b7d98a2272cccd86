import { expect, it } from "vitest";
import { keepNewest } from "./kept.ts";

it("removes the entries that were added longest ago", () => {
  const map = new Map(["a", "b", "c"].map((key) => [key, 0]));
  map.delete("a");
  map.set("a", 1);

  keepNewest(map, 3);
  expect([...map.keys()]).toEqual(["b", "c", "a"]);
  keepNewest(map, 1);
  expect([...map.keys()]).toEqual(["a"]);
});
