import type { Home } from "../e2e/pond.ts";
import type { Random } from "./random.ts";
import type { Workshop } from "./workshop.ts";

/** What a single run of a fault may use; its homes are removed when the run is over. */
export type Trial = {
  readonly random: Random;
  /** A throw-away home that begins as a copy of `template`. */
  home(template: Home): Home;
  /** Has `undo` done when the run is over, whatever came of it. */
  defer(undo: () => void): void;
};

export type FaultInit<Ready, Result> = {
  /** `what/where`, such as `kill/sync`. */
  readonly name: string;
  /** What is done, and what has to be true after it. */
  readonly about: string;
  /** How many runs a whole campaign makes. */
  readonly runs: number;
  /** Why the fault cannot be inflicted on this machine; undefined where it can. */
  readonly unmet?: () => string | undefined;
  /** Once in a campaign. */
  prepare(workshop: Workshop): Promise<Ready>;
  /** Does it once. What it throws is a problem found. */
  inflict(ready: Ready, trial: Trial): Promise<Result>;
  /** What is wrong after it, a line each: nothing, where all held. */
  check(ready: Ready, result: Result, trial: Trial): Promise<readonly string[]>;
};

/** A fault that was prepared: does it once and resolves to what is wrong after it. */
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
