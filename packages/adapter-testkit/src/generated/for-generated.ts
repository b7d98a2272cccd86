import { AssertionError } from "node:assert/strict";
import type { Lineage, Meanings } from "@pond/canonical/adapter";
import fc from "fast-check";
import type { Generated } from "../kit.ts";
import { sampleMeanings } from "../sample.ts";
import { arbitraryLineage } from "./lineage.ts";
import { showLineage } from "./show-lineage.ts";

/** Checks one generated lineage; `known` is undefined if none of its tools is known. */
export type CheckLineage = (lineage: Lineage, known: Meanings | undefined) => Promise<void>;

/**
 * Runs a check on generated lineages, in half of which the tools are known.
 *
 * @throws {AssertionError} with the smallest failing lineage found, and how to get it again.
 */
export async function forGenerated({ runs, seed }: Generated, check: CheckLineage): Promise<void> {
  const property = fc.asyncProperty(arbitraryLineage(), fc.boolean(), (lineage, areToolsKnown) =>
    check(lineage, areToolsKnown ? sampleMeanings : undefined),
  );
  const { failed, counterexample, errorInstance, numRuns } = await fc.check(property, {
    numRuns: runs,
    seed,
  });
  if (!failed) return;
  const [lineage, areToolsKnown] = counterexample ?? [];
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new AssertionError({
    message: [
      reason,
      `generated session ${numRuns} of ${runs}, seed ${seed}, cut down to:`,
      lineage ? showLineage(lineage) : "nothing",
      areToolsKnown ? "its tools being known" : "its tools being unknown",
    ].join("\n\n"),
  });
}
