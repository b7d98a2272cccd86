import { type AdapterCase, type CompleteKit, fixturesOf } from "../kit.ts";
import { readFiles } from "../read-files.ts";
import { expectEverySession } from "../restored.ts";

/** A native restore includes every session below the one asked for. */
export function lineageCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => ({
    rule: "adapter-lineage-complete-restore",
    name: `native restore of ${fixture.name} writes every session of each lineage`,
    run: async () => {
      const { lineages } = await readFiles(kit, await fixture.load());

      for (const lineage of lineages) expectEverySession(lineage, kit.writer.writeNative(lineage));
    },
  }));
}
