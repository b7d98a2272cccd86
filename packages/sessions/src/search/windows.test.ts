import type { MessageHeader } from "@pond/canonical";
import fc from "fast-check";
import { expect, it } from "vitest";
import { prepareMessage } from "../rows/prepare.ts";
import { addPiece, WindowBuilder, type WindowPiece, windowPiece } from "./windows.ts";

const piece = fc.record({
  text: fc.option(fc.constantFrom("short", "x".repeat(900), "y".repeat(2_500))),
  isBoundary: fc.boolean(),
});

function windowsOf(pieces: readonly Omit<WindowPiece, "id" | "timestamp">[]) {
  const windows = new WindowBuilder();
  for (const [at, each] of pieces.entries()) {
    addPiece(windows, { ...each, id: `m${at}`, timestamp: BigInt(at) });
  }
  windows.close();
  return windows.take();
}

it("holds every message with text once, in order", () => {
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const spoken = pieces.flatMap(({ text }, at) => (text === null ? [] : [`m${at}`]));

      expect(windowsOf(pieces).flatMap(({ messageIds }) => messageIds)).toEqual(spoken);
    }),
  );
});

it("changes no window but the last when the session grows", () => {
  fc.assert(
    fc.property(fc.array(piece), fc.array(piece), (pieces, more) => {
      const before = windowsOf(pieces).slice(0, -1);

      expect(windowsOf([...pieces, ...more]).slice(0, before.length)).toEqual(before);
    }),
  );
});

it("gives each title one window of its own, without splitting other windows", () => {
  const say = (text: string | null, title?: string) => ({ text, title, isBoundary: false });

  const windows = windowsOf([
    say(null, "Harvesting"),
    say("a"),
    say(null, "Harvest"),
    say("b"),
    say(null, "Harvesting"),
  ]);

  expect(windows.map(({ timestamp, text, messageIds }) => [timestamp, text, messageIds])).toEqual([
    [0n, "Harve", []],
    [0n, "Harve", []],
    [1n, "a\nb", ["m1", "m3"]],
  ]);
  expect(new Set(windows.map(({ id }) => id)).size).toBe(3);
});

it.each([
  ["is cut off after 500 characters", "x".repeat(2_000_000), "x".repeat(500)],
  ["has half of a surrogate pair replaced", "a\ud800b", "a\ufffdb"],
  ["keeps control characters and markup", "\u0000\u001b[2J <b>", "\u0000\u001b[2J <b>"],
  ["is missing if it is blank", " \n ", undefined],
])("a title %s", (_, customTitle, expected) => {
  const options = { source: { record: { type: "custom-title", customTitle } } };
  const titleOf = (role: string) => {
    const header = { id: "m", session_id: "s", timestamp: 0n, role, content: "", options };
    return windowPiece(prepareMessage(header as unknown as MessageHeader, [])).title;
  };

  expect(titleOf("system")).toBe(expected);
  expect(titleOf("user")).toBe(undefined);
});

it("ends a window at a compaction and at about 2,000 characters", () => {
  const said = (text: string) => ({ text, isBoundary: false });

  const windows = windowsOf([
    said("before"),
    { text: null, isBoundary: true },
    said("x".repeat(1_500)),
    said("y".repeat(1_500)),
    said("after"),
  ]);

  expect(windows.map(({ id, timestamp, messageIds }) => [id, timestamp, messageIds])).toEqual([
    ["m0", 0n, ["m0"]],
    ["m2", 2n, ["m2", "m3"]],
    ["m4", 4n, ["m4"]],
  ]);
});

it("cuts a long message into chunks, each in a different window", () => {
  const long = "Weavers weave baskets. ".repeat(10_000);
  const said = (text: string) => ({ text, isBoundary: false });

  const windows = windowsOf([said("before"), said(long), said("after"), said(long)]);

  expect(windows.map(({ id, timestamp, messageIds }) => [id, timestamp, messageIds])).toEqual([
    ["m0", 0n, ["m0", "m1"]],
    ["pond-window:1:m1", 1n, ["m1"]],
    ["pond-window:2:m1", 1n, ["m1"]],
    ["pond-window:3:m1", 1n, ["m1"]],
    ["m2", 2n, ["m2", "m3"]],
    ["pond-window:1:m3", 3n, ["m3"]],
    ["pond-window:2:m3", 3n, ["m3"]],
    ["pond-window:3:m3", 3n, ["m3"]],
  ]);
  const held = windows.slice(0, 4).map(({ text }) => text ?? "");
  expect(Math.max(...held.map(({ length }) => length))).toBeLessThanOrEqual(65_543);
  expect(held.join("")).toBe(`befor\n${"Weave weave baske. ".repeat(10_000)}`);
});

it("keeps a message of 65,536 characters in one window", () => {
  const windows = windowsOf([{ text: "ab ".repeat(65_536 / 3), isBoundary: false }]);

  expect(windows.map(({ id }) => id)).toEqual(["m0"]);
});
