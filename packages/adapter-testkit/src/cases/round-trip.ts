import { expectSameEvents } from "../event-difference.ts";
import { type AdapterCase, type CompleteKit, type Fixture, fixturesOf } from "../kit.ts";
import { readFiles } from "../read-files.ts";
import { expectSameRecords } from "../restored.ts";
import { restoredFiles } from "../source-files.ts";

/**
 * Reading a client's files and writing them back gives the same records in the same order, and
 * reading those gives the same sessions.
 */
export function roundTripCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).flatMap((fixture) => [
    roundTripCase(kit, fixture, "native restore equals"),
    readAgainCase(kit, fixture),
  ]);
}

/** The round trip of one fixture, which the kit may have changed. */
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

/**
 * Otherwise a user who also syncs a restored home would store each of its messages a second time.
 */
function readAgainCase(kit: CompleteKit, fixture: Fixture): AdapterCase {
  return {
    rule: "lance-deterministic-pk",
    name: `${fixture.name} restored and read again is the same session: same ids`,
    run: async () => {
      const { lineages, canonical } = await readFiles(kit, await fixture.load());

      const restored = lineages.flatMap((lineage) => [...kit.writer.writeNative(lineage)]);
      const again = await readFiles(kit, restoredFiles(restored));

      expectSameEvents(canonical, again.canonical, "restored and read again");
    },
  };
}
