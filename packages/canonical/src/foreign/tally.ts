import type { JsonObject } from "../json.ts";
import type { PartType } from "../part.ts";
import type { Fidelity, FidelityCount } from "../seam/codec.ts";

/** What became of one part: kept as it is, translated into another form, or dropped. */
export type Outcome = keyof FidelityCount;

/** The result of writing a part: a block of the target's content, or nothing. */
export type WrittenPart = { readonly block: JsonObject | undefined; readonly outcome: Outcome };

/** Counts a part as translated if it was kept but now stands in a place of another kind. */
export function asTranslated(written: WrittenPart): WrittenPart {
  return written.outcome === "kept" ? { ...written, outcome: "translated" } : written;
}

/** Counts what a foreign restore keeps. Every part is counted once. */
export class Tally {
  readonly #counts: Partial<Record<PartType | "system", FidelityCount>> = {};

  /** Counts one part; the type `system` stands for the text of a system message. */
  count(type: PartType | "system", outcome: Outcome): void {
    const known = this.#counts[type] ?? { kept: 0, translated: 0, dropped: 0 };
    this.#counts[type] = { ...known, [outcome]: known[outcome] + 1 };
  }

  /** Counts a part by its outcome. @returns Its block, if there is one. */
  take(type: PartType | "system", { block, outcome }: WrittenPart): JsonObject[] {
    this.count(type, outcome);
    return block ? [block] : [];
  }

  /** The counts so far. */
  fidelity(): Fidelity {
    const counted = types.flatMap((type) => {
      const count = this.#counts[type];
      return count ? [[type, count] as const] : [];
    });
    return Object.fromEntries(counted);
  }
}

/** The order in which a report lists the types. */
const types: readonly (PartType | "system")[] = [
  "system",
  "text",
  "file",
  "reasoning",
  "tool_call",
  "tool_result",
  "tool_approval_request",
  "tool_approval_response",
];
