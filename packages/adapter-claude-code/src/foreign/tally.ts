import type { PartType } from "@pond/canonical";
import type { Fidelity, FidelityCount } from "@pond/canonical/adapter";

/** What became of one part: the same in the target, the same in another form, or not there. */
export type Outcome = keyof FidelityCount;

/** Counts what a foreign restore keeps. */
export class Tally {
  readonly #counts: Partial<Record<PartType | "system", FidelityCount>> = {};

  count(type: PartType | "system", outcome: Outcome): void {
    const known = this.#counts[type] ?? { kept: 0, translated: 0, dropped: 0 };
    this.#counts[type] = { ...known, [outcome]: known[outcome] + 1 };
  }

  fidelity(): Fidelity {
    return this.#counts;
  }
}
