import { fail } from "node:assert/strict";
import type { JsonValue } from "@pond/canonical";
import { firstDifference } from "../difference.ts";
import { type AdapterCase, type CompleteKit, type Fixture, fixturesOf } from "../kit.ts";
import { readFiles } from "../read-files.ts";
import { restoredFiles, type SourceFiles } from "../source-files.ts";

/** Reading a client's files and writing them back gives the same records. */
export function roundTripCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).map((fixture) => roundTripCase(kit, fixture, "native restore equals"));
}

/** The round trip of one fixture, which may be one that the kit has changed. */
export function roundTripCase(kit: CompleteKit, fixture: Fixture, name: string): AdapterCase {
  return {
    rule: "adapter-native-restore-lossless",
    name: `${name} ${fixture.name}`,
    run: async () => expectRoundTrip(kit, await fixture.load()),
  };
}

async function expectRoundTrip(kit: CompleteKit, files: SourceFiles): Promise<void> {
  const { lineages, isRefused } = await readFiles(kit, files);

  const restored = restoredFiles(
    lineages.flatMap((lineage) => [...kit.writer.writeNative(lineage)]),
  );

  const actual = kit.records(restored);
  for (const [path, records] of kit.records(files)) {
    if (!isRefused(path)) expectRecords(path, records, actual.get(path));
  }
  for (const path of restored.keys()) {
    if (!files.has(path)) fail(`${path} was restored and is not in the source`);
  }
}

function expectRecords(
  path: string,
  expected: readonly JsonValue[],
  actual: readonly JsonValue[] | undefined,
): void {
  if (actual === undefined) {
    if (expected.length > 0) fail(`${path} was not restored`);
    return;
  }
  for (const [index, record] of expected.entries()) {
    const other: JsonValue | undefined = actual[index];
    const difference: string | undefined =
      other === undefined ? "is missing" : firstDifference(record, other);
    if (difference !== undefined) fail(`${path}, record ${index + 1}: ${difference}`);
  }
  if (actual.length > expected.length) {
    fail(`${path} has ${actual.length} records instead of ${expected.length}`);
  }
}
