import { expect, it } from "vitest";
import type { Known } from "./known.ts";
import { othersOf } from "./permission.ts";
import { digestOfIds, type HeldMessages, type Place } from "./place.ts";

const known: Known = {
  live: new Map(),
  state: { digest: "", revision: 0n, rowId: "s" },
  holders: new Map(),
  rows: new Map(),
  searchable: [],
  idsOfOthers: new Set(),
  damaged: new Map(),
  addedAt: 2,
  isVerified: false,
  shown: ["a", "b", "c", "d"],
  shownThen: ["a", "b", "c"],
  former: new Map(),
  newest: 0n,
  tail: 0n,
};
const then: HeldMessages = { digest: digestOfIds(known.shownThen), addedAt: 1 };
const placeThatHeld = (held: Place["held"]): Place => ({ held, isNewest: () => true });

it.each<readonly [string, Place | undefined, readonly string[], readonly string[]]>([
  ["all of it was held here, and nothing elsewhere", placeThatHeld("all"), [], []],
  ["nothing is lacking", undefined, ["a", "b", "c", "d"], []],
  ["it is not known what this place held", placeThatHeld(undefined), ["a"], ["b", "c", "d"]],
  ["only some of the session comes", undefined, ["a"], ["b", "c", "d"]],
  ["one came later, from elsewhere", placeThatHeld(then), ["a"], ["d"]],
  ["one was elsewhere then", placeThatHeld({ ...then, others: ["b"] }), ["a"], ["b", "d"]],
  [
    "the rows are no longer those that were held",
    placeThatHeld({ ...then, digest: digestOfIds(["a", "b"]) }),
    ["a"],
    ["b", "c", "d"],
  ],
])("lists the messages that a place is not known to have held: %s", (_, place, seen, others) => {
  expect([...othersOf(known, place, new Set(seen))]).toEqual(others);
});
