import { type AdapterCase, type CompleteKit, type Fixture, fixturesOf } from "../kit.ts";
import { readFiles } from "../read-files.ts";
import { expectSameRecords } from "../restored.ts";
import { restoredFiles } from "../source-files.ts";

/** Reading a client's files and writing them back gives the same records, in their order. */
export function roundTripCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => roundTripCase(kit, fixture, "native restore equals"));
}

/** The round trip of one fixture, which may be one that the kit has changed. */
export function roundTripCase(kit: CompleteKit, fixture: Fixture, name: string): AdapterCase {
  return {
    rule: "adapter-native-restore-lossless",
    name: `${name} ${fixture.name}`,
    run: async () => {
      const files = await fixture.load();
      const { lineages, isRefused } = await readFiles(kit, files);

      const restored = lineages.flatMap((lineage) => [...kit.writer.writeNative(lineage)]);

      expectSameRecords(kit, files, restoredFiles(restored), isRefused);
    },
  };
}
