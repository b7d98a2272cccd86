import { changeCases } from "./cases/change.ts";
import { damageCases } from "./cases/damage.ts";
import { determinismCases } from "./cases/determinism.ts";
import { foreignCases } from "./cases/foreign.ts";
import { generatedCases } from "./cases/generated.ts";
import { growthCases } from "./cases/growth.ts";
import { hostileCases } from "./cases/hostile.ts";
import { lineageCases } from "./cases/lineage.ts";
import { oneFileCases } from "./cases/one-file.ts";
import { orderCases } from "./cases/order.ts";
import { pathCases } from "./cases/paths.ts";
import { projectionCases } from "./cases/projection.ts";
import { provenanceCases } from "./cases/provenance.ts";
import { pruningCases } from "./cases/pruning.ts";
import { roundTripCases } from "./cases/round-trip.ts";
import { synthesisCases } from "./cases/synthesis.ts";
import { type AdapterCase, type AdapterKit, withDefaults } from "./kit.ts";

/**
 * Every check that an adapter has to pass (spec 6.8), as data:
 * `test.each([...adapterCases(kit)])("$rule: $name", ({ run }) => run())`.
 *
 * @throws {TypeError} for a kit without fixtures.
 */
export function adapterCases(kit: AdapterKit): readonly AdapterCase[] {
  // As from a pattern that found none: what is left would pass for any reader.
  if (kit.fixtures.length === 0)
    throw new TypeError(
      "fixtures: it names no folder, so nothing that the reader reads is checked",
    );
  const suite = [
    roundTripCases,
    projectionCases,
    synthesisCases,
    determinismCases,
    growthCases,
    pruningCases,
    orderCases,
    provenanceCases,
    damageCases,
    hostileCases,
    changeCases,
    oneFileCases,
    lineageCases,
    foreignCases,
    pathCases,
    generatedCases,
  ];
  const whole = withDefaults(kit);
  return suite.flatMap((cases) => cases(whole));
}
