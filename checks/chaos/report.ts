import { cpus, totalmem } from "node:os";
import type { FaultResult } from "./campaign.ts";

/** How a fault ended, in a word or two. */
function outcomeOf({ unmet, failures, runs }: FaultResult): string {
  if (unmet !== undefined) return `not run: ${unmet}`;
  if (failures.length === 0) return "held";
  return `FAILED ${failures.length} of ${runs}`;
}

/** The result for a terminal. */
export function textTable(results: readonly FaultResult[]): string {
  const width = Math.max(...results.map(({ fault }) => fault.length), 5);
  const line = (fault: string, runs: string, outcome: string): string =>
    `${fault.padEnd(width)}  ${runs.padStart(5)}  ${outcome}`;
  return [
    line("FAULT", "RUNS", "OUTCOME"),
    ...results.map((result) => line(result.fault, String(result.runs), outcomeOf(result))),
    ...results
      .flatMap(({ failures }) => failures)
      .map(({ fault, seed }) => `again: pnpm chaos --only "${fault}" --seed ${seed} --runs 1`),
  ].join("\n");
}

/** The result as a page of the documentation. */
export function markdown({
  seed,
  faults,
}: {
  readonly seed: number;
  readonly faults: readonly FaultResult[];
}): string {
  const runs = faults.reduce((sum, result) => sum + result.runs, 0);
  const minutes = Math.round(faults.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const machine = `${process.platform} ${process.arch}, ${cpus().length} cores, ${gigabytes} GB, Node ${process.version}`;
  return `# Faults

What is done to pond on purpose, and what has to be true after it. \`pnpm chaos\` does all of it again;
\`pnpm chaos --help\` says how to do one fault or one seed.

${runs} runs in ${minutes} minutes, first seed ${seed}, on ${machine}.

| fault | runs | outcome | what is done, and what has to hold |
| --- | ---: | --- | --- |
${faults.map((result) => `| ${result.fault} | ${result.runs} | ${outcomeOf(result)} | ${result.about} |`).join("\n")}
`;
}
