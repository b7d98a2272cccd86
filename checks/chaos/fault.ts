import type { Home } from "../e2e/pond.ts";
import type { Random } from "./random.ts";
import type { Workshop } from "./workshop.ts";

/** The things that one run of a fault may use. Its homes are removed when the run is over. */
export type Trial = {
  readonly random: Random;
  /** Makes a throw-away home as a copy of `template`. */
  home(template: Home): Home;
  /** Calls `undo` when the run is over, whatever its result. */
  defer(undo: () => void): void;
};

export type FaultInit<Ready, Result> = {
  /** `what/where`, such as `kill/sync`. */
  readonly name: string;
  /** What the fault does, and what has to be true afterwards. */
  readonly about: string;
  /** The number of runs in a whole campaign. */
  readonly runs: number;
  /** Why the fault cannot be inflicted on this machine; undefined if it can. */
  readonly unmet?: () => string | undefined;
  /** Called once in a campaign. */
  prepare(workshop: Workshop): Promise<Ready>;
  /** Inflicts the fault once. An error that it throws is a problem found. */
  inflict(ready: Ready, trial: Trial): Promise<Result>;
  /** What is wrong afterwards, one line each; empty if everything held. */
  check(ready: Ready, result: Result, trial: Trial): Promise<readonly string[]>;
};

/** A prepared fault: inflicts it once and resolves to what is wrong afterwards. */
export type Inflict = (trial: Trial) => Promise<readonly string[]>;

export type Fault = Pick<FaultInit<unknown, unknown>, "name" | "about" | "runs" | "unmet"> & {
  open(workshop: Workshop): Promise<Inflict>;
};

export function defineFault<Ready, Result>(init: FaultInit<Ready, Result>): Fault {
  const { name, about, runs, unmet } = init;
  return {
    ...{ name, about, runs, ...(unmet && { unmet }) },
    async open(workshop) {
      const ready = await init.prepare(workshop);
      return async (trial) => init.check(ready, await init.inflict(ready, trial), trial);
    },
  };
}
