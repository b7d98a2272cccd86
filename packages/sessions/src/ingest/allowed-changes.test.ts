import { expect, it } from "vitest";
import { idsHeldElsewhere } from "./allowed-changes.ts";
import type { SessionSnapshot } from "./session-snapshot.ts";
import { digestOfIds, type HeldMessages, type SourcePlace } from "./source-place.ts";

const snapshot: SessionSnapshot = {
  live: new Map(),
  state: { digest: "", revision: 0n, rowId: "s" },
  valueCarriers: new Map(),
  rows: new Map(),
  searchable: [],
  foreignMessageIds: new Set(),
  damaged: new Map(),
  addedAt: 2,
  isVerified: false,
  shown: ["a", "b", "c", "d"],
  shownAtLastRead: ["a", "b", "c"],
  former: new Map(),
  newest: 0n,
  tail: 0n,
};
const then: HeldMessages = { digest: digestOfIds(snapshot.shownAtLastRead), addedAt: 1 };
const placeThatHeld = (held: SourcePlace["held"]): SourcePlace => ({ held, isNewest: () => true });

it.each<readonly [string, SourcePlace | undefined, readonly string[], readonly string[]]>([
  ["none when it held the whole session", placeThatHeld("all"), [], []],
  ["none when the read lacks none", undefined, ["a", "b", "c", "d"], []],
  [
    "all that the read lacks when it is unknown what the place held",
    placeThatHeld(undefined),
    ["a"],
    ["b", "c", "d"],
  ],
  ["all that the read lacks when there is no place", undefined, ["a"], ["b", "c", "d"]],
  ["those that came later from elsewhere", placeThatHeld(then), ["a"], ["d"]],
  [
    "those that came later or that only other places held then",
    placeThatHeld({ ...then, others: ["b"] }),
    ["a"],
    ["b", "d"],
  ],
  [
    "all that the read lacks when the stored rows no longer match the place",
    placeThatHeld({ ...then, digest: digestOfIds(["a", "b"]) }),
    ["a"],
    ["b", "c", "d"],
  ],
])("lists the messages that a place is not known to have held: %s", (_, place, seen, others) => {
  expect([...idsHeldElsewhere(snapshot, place, new Set(seen))]).toEqual(others);
});
