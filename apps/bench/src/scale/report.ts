import { markdownTable } from "../shared/markdown-table.ts";
import { mostSlope, type Operation, type ScaleRun } from "./measure.ts";
import { costOf, type Growth, growthsOf } from "./slope.ts";

/** As Markdown, for `reports/`. @param runs - Smallest first. */
export function scaleReport(
  runs: readonly ScaleRun[],
  { machine, messages }: { readonly machine: string; readonly messages: string },
): string {
  const growths = growthsOf(runs);
  const sections = [
    "# What a store costs as it grows",
    `\`\`\`sh\nnode --conditions=@pond/source apps/bench/src/scale.ts --messages ${messages}\n\`\`\``,
    `${machine}. Of each size a corpus of its own is generated, imported into a new store, used and removed. Medians of five where an operation is short; \`warm\` is over a store that is open already, in a session and with queries that every size holds; all others are whole processes. Vectors come from a model that costs next to nothing.`,
    markdownTable(
      ["messages", "sessions", "source MB"],
      runs.map((run) => [
        ...[count(run.messages), count(run.sessions), (run.sourceBytes / 1e6).toFixed(0)],
      ]),
    ),
    "## Cost",
    "Each cell: wall time / CPU time of all threads, in seconds. The slope is that of CPU time between the two largest sizes: 1.0 grows as the store does, 0 not at all. `most` is what the work itself grows by.",
    costTable(runs, growths),
    "![cost against size, both logarithmic](scale.svg)",
    "## Memory",
    "Peak of the process, in MB.",
    memoryTable(runs, growths),
    "## Against what else has to be done",
    "Wall time / CPU time.",
    ratioTable(runs),
    "## What grows faster than its work",
    verdict(growths),
  ];
  return `${sections.join("\n\n")}\n`;
}

function costTable(runs: readonly ScaleRun[], growths: readonly Growth[]): string {
  return markdownTable(
    ["operation", ...runs.map(({ messages }) => count(messages)), "slope", "most"],
    growths.map(({ operation, slope }) => [
      operation,
      ...runs.map((run) => {
        const cost = costOf(run, operation);
        return cost === undefined ? "" : `${seconds(cost.wallMs)} / ${seconds(cost.cpuMs)}`;
      }),
      ...[decimal(slope), decimal(mostSlope[operation])],
    ]),
  );
}

function memoryTable(runs: readonly ScaleRun[], growths: readonly Growth[]): string {
  const isKnown = ({ operation }: Growth): boolean =>
    runs.some((run) => costOf(run, operation)?.peakMb !== undefined);
  return markdownTable(
    ["operation", ...runs.map(({ messages }) => count(messages)), "slope"],
    growths
      .filter(isKnown)
      .map(({ operation, memorySlope }) => [
        operation,
        ...runs.map((run) => costOf(run, operation)?.peakMb?.toFixed(0) ?? ""),
        decimal(memorySlope),
      ]),
  );
}

const baselines: readonly (readonly [Operation, Operation])[] = [
  ["first import", "read and JSON.parse the source"],
  ["export", "cp of the store"],
  ["import of the archive", "cp of the store"],
  ["import of the archive", "first import"],
];

function ratioTable(runs: readonly ScaleRun[]): string {
  const ratio = (run: ScaleRun, ours: Operation, theirs: Operation): string => {
    const [cost, baseline] = [costOf(run, ours), costOf(run, theirs)];
    if (cost === undefined || baseline === undefined) return "";
    const [wall, cpu] = [cost.wallMs / baseline.wallMs, cost.cpuMs / baseline.cpuMs];
    return `${wall.toFixed(2)}x / ${cpu.toFixed(2)}x`;
  };
  return markdownTable(
    ["operation", "over", ...runs.map(({ messages }) => count(messages))],
    baselines.map(([ours, theirs]) => [
      ...[ours, theirs],
      ...runs.map((run) => ratio(run, ours, theirs)),
    ]),
  );
}

function verdict(growths: readonly Growth[]): string {
  const times = growths
    .filter(({ isTooFast }) => isTooFast)
    .map(
      ({ operation, slope }) =>
        `- ${operation}: ${decimal(slope)}, where its work grows by ${decimal(mostSlope[operation])}.`,
    );
  const memory = growths
    .filter(({ isMemoryTooFast }) => isMemoryTooFast)
    .map(({ operation, memorySlope }) => `- memory of ${operation}: ${decimal(memorySlope)}.`);
  const all = [...times, ...memory];
  return all.length === 0 ? "Nothing." : all.join("\n");
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(ms < 100 ? 3 : ms < 10_000 ? 2 : 0);
}

function decimal(value: number): string {
  return Number.isNaN(value) ? "" : value.toFixed(2);
}
