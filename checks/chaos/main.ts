// The fault campaign: `pnpm chaos --help` says what it takes.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Failure, runCampaign } from "./campaign.ts";
import type { Fault } from "./fault.ts";
import { faults } from "./faults/index.ts";
import { markdown, textTable } from "./report.ts";

const usage = `usage: pnpm chaos [options]

  --only TEXT     only faults whose name begins so; may be repeated
  --runs N        runs of each fault, instead of its own number
  --seed N        seed of the first run; those after it count up (default: random)
  --json          print the result as JSON
  --out FILE.md   write the table to this file, too
  --keep          keep the homes of failed runs, and say where they are
  --list          list the faults, and run none

To repeat a failed run: pnpm chaos --only NAME --seed ITS-SEED --runs 1
The same seed chooses the same moment, but processes still race to it.`;

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    runs: { type: "string" },
    seed: { type: "string" },
    json: { type: "boolean", default: false },
    out: { type: "string" },
    keep: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

const chosen = faults.filter(
  ({ name }) =>
    values.only.length === 0 || values.only.some((beginning) => name.startsWith(beginning)),
);

if (values.help) console.log(usage);
else if (values.list) {
  for (const { name, runs, about } of chosen) console.log(`${name} (${runs}): ${about}`);
} else process.exitCode = await run();

async function run(): Promise<number> {
  const seed = wholeNumber("seed") ?? Math.floor(Math.random() * 2 ** 31);
  console.error(`seed ${seed}`);
  const runs = wholeNumber("runs");
  const options = { seed, runs, isKeeping: values.keep, onRun: showRun };
  const results = await runCampaign(chosen, options);
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  const campaign = { seed, faults: results };
  console.log(values.json ? JSON.stringify(campaign, undefined, 2) : textTable(results));
  if (values.out !== undefined) writeFileSync(values.out, markdown(campaign));
  return results.some(({ failures }) => failures.length > 0) ? 1 : 0;
}

function showRun({ name }: Fault, done: number, runs: number, failure?: Failure): void {
  const { isTTY } = process.stderr;
  const shouldPrint = isTTY || done === runs || done % 10 === 0;
  if (shouldPrint)
    process.stderr.write(`${isTTY ? "\r\u001b[K" : ""}${name} ${done}/${runs}${isTTY ? "" : "\n"}`);
  if (failure === undefined) return;
  const problems = failure.problems.map((problem) => `  ${problem}\n`).join("");
  process.stderr.write(
    `${isTTY ? "\n" : ""}${name} failed with seed ${failure.seed}:\n${problems}`,
  );
}

function wholeNumber(name: "runs" | "seed"): number | undefined {
  const text = values[name];
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new TypeError(`--${name} is no number`);
  return number;
}
