import type { ScaleRun } from "./measure.ts";
import { costOf, growthsOf } from "./slope.ts";

const [width, height] = [960, 560];
const plot = { left: 70, right: 620, top: 20, bottom: 500 };
const labelGap = 15;
const colors = ["#0b62a8", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#0f766e"];
const dashes = ["", "6 3", "2 3"];

type Line = { readonly name: string; readonly points: readonly (readonly [number, number])[] };

/** CPU time of each operation against the size of the store, both logarithmic, as SVG. */
export function plotOf(runs: readonly ScaleRun[]): string {
  const lines = growthsOf(runs).map(({ operation, slope }): Line => {
    const points = runs.flatMap((run) => {
      const ms = costOf(run, operation)?.cpuMs ?? 0;
      // Below a tick of the system's clock there is nothing to show.
      return ms > 0 ? [[run.messages, ms] as const] : [];
    });
    const grows = Number.isNaN(slope) ? "" : ` (${slope.toFixed(2)})`;
    return { name: `${operation}${grows}`, points };
  });
  const all = lines.flatMap(({ points }) => points);
  const x = axis(
    all.map(([messages]) => messages),
    [plot.left, plot.right],
  );
  const y = axis(
    all.map(([, ms]) => ms),
    [plot.bottom, plot.top],
  );
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`;
  const parts = [
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...x.ticks.map((tick) => gridLine(x.at(tick), "down", `${tick.toLocaleString("en-US")}`)),
    ...y.ticks.map((tick) => gridLine(y.at(tick), "across", timeOf(tick))),
    `<text x="${(plot.left + plot.right) / 2}" y="${plot.bottom + 40}" text-anchor="middle">messages in the store</text>`,
    `<text x="${plot.right + 20}" y="${height - 12}" fill="#555">CPU time; in brackets the slope, 1.0 is linear</text>`,
    ...lines.map(({ points }, at) =>
      lineOf(
        points.map(([messages, ms]) => [x.at(messages), y.at(ms)]),
        at,
      ),
    ),
    ...labels(lines.map(({ name, points }) => ({ name, y: y.at(points.at(-1)?.[1] ?? 1) }))),
  ];
  return `${[head, ...parts, "</svg>"].join("\n")}\n`;
}

type Axis = { readonly at: (value: number) => number; readonly ticks: readonly number[] };

/** Stores hold a few messages more than were asked for, which must not make a new power of ten. */
const slack = 0.05;

/** From the power of ten below the smallest value to the one above the largest. */
function axis(values: readonly number[], [start, end]: readonly [number, number]): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)) + slack);
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - slack));
  return {
    at: (value) => start + ((Math.log10(value) - low) / (high - low)) * (end - start),
    ticks: Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step)),
  };
}

function gridLine(at: number, direction: "down" | "across", label: string): string {
  const { left, right, top, bottom } = plot;
  const place = at.toFixed(1);
  return direction === "down"
    ? `<path d="M${place} ${top}V${bottom}" stroke="#ddd"/><text x="${place}" y="${bottom + 18}" text-anchor="middle">${label}</text>`
    : `<path d="M${left} ${place}H${right}" stroke="#ddd"/><text x="${left - 8}" y="${place}" dy="4" text-anchor="end">${label}</text>`;
}

function lineOf(points: readonly (readonly [number, number])[], at: number): string {
  const { color, dash } = strokeOf(at);
  const path = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`);
  const dots = points.map(
    ([x, y]) => `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="2.5" fill="${color}"/>`,
  );
  return `<polyline points="${path.join(" ")}" fill="none" stroke="${color}" stroke-dasharray="${dash}" stroke-width="1.5"/>${dots.join("")}`;
}

/** Beside the ends of the lines, one below the other. */
function labels(lines: readonly { readonly name: string; readonly y: number }[]): string[] {
  const placed = lines
    .map(({ name, y }, at) => ({ name, y, ...strokeOf(at) }))
    .toSorted((left, right) => left.y - right.y);
  let free = plot.top;
  return placed.map(({ name, y, color, dash }) => {
    const place = Math.max(free, y);
    free = place + labelGap;
    const start = plot.right + 20;
    return `<path d="M${start} ${place.toFixed(1)}h24" stroke="${color}" stroke-dasharray="${dash}" stroke-width="1.5"/><text x="${start + 30}" y="${place.toFixed(1)}" dy="4" fill="${color}">${name}</text>`;
  });
}

function strokeOf(at: number): { readonly color: string; readonly dash: string } {
  const color = colors[at % colors.length] ?? "#000";
  return { color, dash: dashes[Math.floor(at / colors.length) % dashes.length] ?? "" };
}

function timeOf(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${ms / 1000} s`;
}
