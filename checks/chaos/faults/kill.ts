import type { Home } from "../../e2e/pond.ts";
import { defineFault, type Fault, type Trial } from "../fault.ts";
import { done, killed, type Moment } from "../processes.ts";
import type { Workshop } from "../workshop.ts";

/** A command to be killed, and the state that it has to reach. */
export type Victim = {
  readonly name: string;
  readonly runs: number;
  prepare(workshop: Workshop): Promise<Work>;
};

type Work = {
  /** The home that the command starts from. */
  readonly from: Home;
  args(home: Home): readonly string[];
  /** The same command for a home in which it may already have ended. */
  again?(home: Home): readonly string[];
  /** What is wrong right after the kill. */
  afterKill(home: Home): Promise<readonly string[]>;
  /** What is wrong once the command ran to its end. */
  afterEnd(home: Home): Promise<readonly string[]>;
};

const maxAttempts = 6;

/** Kills the command at a random moment, and every third time once more while it continues. */
export function killFault({ name, runs, prepare }: Victim): Fault {
  return defineFault({
    name: `kill/${name}`,
    about: `kill -9 at a random moment of ${name}, then the same again, undisturbed`,
    runs,
    async prepare(workshop) {
      const work = await prepare(workshop);
      return { work, changes: await changesOf(work, workshop) };
    },
    async inflict({ work, changes }, trial) {
      const problems: string[] = [];
      let home = trial.home(work.from);
      let last = changes;
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const end = await killed(home, work.args(home), pickMoment(last, trial));
        problems.push(...(await work.afterKill(home)));
        if (end.isKilled) break;
        if (end.code !== 0) problems.push(`ended with ${end.code}: ${end.stderr}`);
        // It ended before that moment. Try an earlier one, from the start.
        last = Math.min(last, end.changes) * 0.8;
        home = trial.home(work.from);
      }
      if (trial.random.isIn(1 / 3)) {
        await killed(home, repeatArgs(work, home), pickMoment(last, trial));
        problems.push(...(await work.afterKill(home)));
      }
      return { home, problems };
    },
    async check({ work }, { home, problems }) {
      if (problems.length > 0) return problems;
      await done(home, ...repeatArgs(work, home));
      return work.afterEnd(home);
    },
  });
}

function repeatArgs(work: Work, home: Home): readonly string[] {
  return (work.again ?? work.args)(home);
}

function pickMoment(changes: number, { random }: Trial): Moment {
  return { change: random.below(changes + 1), delayMs: random.below(4) };
}

/** How many changes to files the command makes if undisturbed. */
async function changesOf(work: Work, workshop: Workshop): Promise<number> {
  const home = workshop.copyOf(work.from);
  const { code, changes, stderr } = await killed(home, work.args(home));
  if (code !== 0) throw new Error(`undisturbed, it ended with ${code}: ${stderr}`);
  const problems = [...(await work.afterKill(home)), ...(await work.afterEnd(home))];
  if (problems.length > 0) throw new Error(`undisturbed, it is wrong: ${problems.join("\n")}`);
  return changes;
}
