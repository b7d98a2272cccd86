import { createHome, type Home } from "../e2e/pond.ts";
import type { Fault, Inflict, Trial } from "./fault.ts";
import { copyHome } from "./processes.ts";
import { Random } from "./random.ts";
import { Workshop } from "./workshop.ts";

/** A run that went wrong, and the command that replays it. */
export type Failure = {
  readonly fault: string;
  readonly seed: number;
  readonly problems: readonly string[];
};

export type FaultResult = {
  readonly fault: string;
  readonly about: string;
  readonly runs: number;
  readonly failures: readonly Failure[];
  /** Why it was not run; undefined if it was. */
  readonly unmet?: string;
  readonly seconds: number;
};

export type CampaignOptions = {
  /** The seed of the first run of each fault. Later runs count up from it. */
  readonly seed: number;
  /** The number of runs of each fault, instead of each fault's own number. */
  readonly runs?: number | undefined;
  /** Keeps the homes of failed runs. */
  readonly isKeeping?: boolean;
  /** Called after each run. */
  readonly onRun?: (fault: Fault, run: number, runs: number, failure?: Failure) => void;
};

/** Inflicts each fault as often as it says. A failed run does not end the campaign. */
export async function runCampaign(
  faults: readonly Fault[],
  options: CampaignOptions,
): Promise<FaultResult[]> {
  const workshop = new Workshop();
  const results: FaultResult[] = [];
  try {
    for (const fault of faults) results.push(await runFault(fault, workshop, options));
  } finally {
    workshop.remove();
  }
  return results;
}

async function runFault(
  fault: Fault,
  workshop: Workshop,
  { seed: firstSeed, runs = fault.runs, isKeeping = false, onRun }: CampaignOptions,
): Promise<FaultResult> {
  const startedMs = performance.now();
  const { name, about } = fault;
  const result = (made: Partial<FaultResult>): FaultResult => ({
    ...{ fault: name, about, runs: 0, failures: [] },
    seconds: Math.round((performance.now() - startedMs) / 100) / 10,
    ...made,
  });
  const unmet = fault.unmet?.();
  if (unmet !== undefined) return result({ unmet });
  const failures: Failure[] = [];
  const inflict = await fault.open(workshop);
  for (let run = 0; run < runs; run++) {
    const seed = firstSeed + run;
    const problems = await inflictOnce(inflict, { seed, name, isKeeping });
    const failure = problems.length > 0 ? { fault: name, seed, problems } : undefined;
    if (failure) failures.push(failure);
    onRun?.(fault, run + 1, runs, failure);
  }
  return result({ runs, failures });
}

type Once = { readonly seed: number; readonly name: string; readonly isKeeping?: boolean };

/** Inflicts a fault once, and removes everything that it used. */
export async function inflictOnce(
  inflict: Inflict,
  { seed, name, isKeeping = false }: Once,
): Promise<readonly string[]> {
  const undone: (() => void)[] = [];
  const homes: Home[] = [];
  const trial: Trial = {
    random: new Random(seed ^ hashOf(name)),
    home(template) {
      const home = createHome();
      homes.push(home);
      copyHome(template, home);
      return home;
    },
    defer: (undo) => undone.push(undo),
  };
  const problems = await inflict(trial).catch((error: unknown) => [
    error instanceof Error ? (error.stack ?? error.message) : String(error),
  ]);
  for (const undo of undone.reverse()) undo();
  if (isKeeping && problems.length > 0) {
    return [...problems, ...homes.map(({ folder }) => `kept: ${folder}`)];
  }
  for (const home of homes) home.remove();
  return problems;
}

/** Makes the same seed mean something different for each fault. */
function hashOf(name: string): number {
  return [...name].reduce((hash, letter) => Math.imul(hash, 31) + letter.charCodeAt(0), 7);
}
