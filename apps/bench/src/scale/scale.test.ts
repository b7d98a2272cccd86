import { expect, it } from "vitest";
import { mostSlope, type Operation, type ScaleRun } from "./measure.ts";
import { plotOf } from "./plot.ts";
import { scaleReport } from "./report.ts";
import { growthsOf } from "./slope.ts";

const operations = Object.keys(mostSlope) as Operation[];

/** Costs that grow as fast as their work may, but for those of `slopes`. */
function runOf(messages: number, slopes: Partial<Record<Operation, number>> = {}): ScaleRun {
  const costs = operations.map((operation) => {
    const cpuMs = 2 * messages ** (slopes[operation] ?? mostSlope[operation]);
    return { operation, wallMs: 2 * cpuMs, cpuMs, peakMb: 200 };
  });
  return { messages, sessions: messages / 100, sourceBytes: messages * 2_400, costs };
}

function runsOf(slopes?: Partial<Record<Operation, number>>): ScaleRun[] {
  return [10_000, 100_000, 1_000_000].map((messages) => runOf(messages, slopes));
}

it("tells linear, flat and quadratic costs apart", () => {
  const growths = growthsOf(runsOf({ "first import": 1, list: 0, export: 2 }));

  const slopes = Object.fromEntries(growths.map(({ operation, slope }) => [operation, slope]));
  expect(slopes["first import"]).toBeCloseTo(1);
  expect(slopes["list"]).toBeCloseTo(0);
  expect(slopes["export"]).toBeCloseTo(2);
});

it.each([
  ["only ones that grow as their work does", {}, "Nothing.\n"],
  [
    "one that grows faster than its work",
    { export: 1.3 },
    "- export: 1.30, where its work grows by 1.00.\n",
  ],
  [
    "one that should hardly grow but does",
    { "a page": 0.5 },
    "- a page: 0.50, where its work grows by 0.10.\n",
  ],
])("lists operations that outgrow their work, given %s", (_, slopes, named) => {
  const report = scaleReport(runsOf(slopes), { machine: "one", messages: "10000" });

  expect(report.split("## What grows faster than its work\n\n")[1]).toBe(named);
});

it("flags an operation whose memory grows too fast", () => {
  const [small, large] = [runOf(10_000), runOf(100_000)];
  const costs = large.costs.map((cost) =>
    cost.operation === "list" ? { ...cost, peakMb: 900 } : cost,
  );

  const growths = growthsOf([small, { ...large, costs }]);

  const grown = growths.filter(({ isMemoryTooFast }) => isMemoryTooFast);
  expect(grown.map(({ operation }) => operation)).toEqual(["list"]);
});

it("computes no slope and flags nothing when given only one size", () => {
  const growths = growthsOf([runOf(10_000)]);

  expect(growths.every(({ slope, isTooFast }) => Number.isNaN(slope) && !isTooFast)).toBe(true);
});

it("draws a line for every operation, all within the picture", () => {
  const svg = plotOf(runsOf());

  const lines = [...svg.matchAll(/<polyline points="([^"]+)"/g)].map(([, points = ""]) => points);
  const numbers = lines.flatMap((points) => points.split(/[ ,]/).map(Number));
  expect(lines).toHaveLength(operations.length);
  expect(numbers.every((each) => each >= 0 && each <= 960)).toBe(true);
});
