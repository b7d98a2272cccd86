import fc from "fast-check";
import { expect, it } from "vitest";
import { addPiece, WindowBuilder, type WindowPiece } from "./windows.ts";

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

it("ends at a compaction and at about 2,000 characters", () => {
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
