// Fuzzing of everything that reads what others wrote: `pnpm fuzz --help` says what it takes.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { runTargets } from "./run-targets.ts";
import { targets } from "./targets/index.ts";
import type { Answer } from "./worker.ts";

const usage = `usage: pnpm fuzz [options]

  --target NAME   one of: ${targets.map(({ name }) => name).join(", ")}; may be given several times
  --cases N       cases of each target (default: 10000)
  --seed N        all cases follow from it (default: random)
  --unguided      do not look which code a case reaches: half again as fast
  --out DIR       write each input that breaks a promise into a folder there

What a reader writes outside of the temporary folder fails where the whole runs under
node --permission --allow-fs-read=* --allow-fs-write=/tmp --allow-worker --allow-addons.`;

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true, default: [] },
    cases: { type: "string", default: "10000" },
    seed: { type: "string" },
    unguided: { type: "boolean", default: false },
    out: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) console.log(usage);
else process.exitCode = await fuzz();

async function fuzz(): Promise<number> {
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
  const cases = Number(values.cases);
  const chosen = targets.filter(
    ({ name }) => values.target.length === 0 || values.target.includes(name),
  );
  if (![seed, cases].every(Number.isSafeInteger) || chosen.length === 0) {
    console.error(usage);
    return 2;
  }
  console.log(`seed ${seed}`);
  let broken = 0;
  const onAnswer = (answer: Answer): void => {
    const { target, found, corpus, blocks, perSecond } = answer;
    const reached = values.unguided ? "" : `, ${corpus} inputs reached ${blocks} blocks`;
    console.log(`${target}: ${cases} cases, ${perSecond}/s, ${found.length} found${reached}`);
    for (const [at, { message, input }] of found.entries()) {
      broken++;
      console.log(`  ${message}`);
      for (const [path, bytes] of values.out === undefined ? [] : input) {
        const file = join(values.out ?? "", target, `${seed}-${at}`, path || "text");
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, bytes);
      }
    }
  };
  const names = chosen.map(({ name }) => name);
  await runTargets(names, { cases, seed, isGuided: !values.unguided, onAnswer });
  return broken > 0 ? 1 : 0;
}
