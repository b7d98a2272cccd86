import { fail } from "node:assert/strict";
import type { SourceFault } from "@pond/canonical";

/** Where in a file a fault is. */
export type FaultPlace = {
  readonly record: number | string;
  readonly byteOffset: number | undefined;
};

/** Fails unless there are as many faults as expected, and lists them. */
export function expectFaults(
  where: string,
  expected: number,
  faults: readonly SourceFault[],
): void {
  if (faults.length === expected) return;
  const found = faults.map(({ message }) => message).join("; ");
  fail(`${where}: ${faults.length} faults instead of ${expected}${found && `: ${found}`}`);
}

/** Fails unless the fault names the file and the place in it. */
export function expectPlace(
  path: string,
  place: FaultPlace,
  { message, details }: SourceFault,
): void {
  const { uri, record, byteOffset } = details;
  const isThere = record === place.record && byteOffset === place.byteOffset;
  if (uri.endsWith(path) && isThere) return;
  const [found, right] = [placeOf({ record, byteOffset }), placeOf(place)];
  fail(`${path}: the fault is at ${uri}, ${found} instead of ${right}: ${message}`);
}

function placeOf({ record, byteOffset }: FaultPlace): string {
  return `record ${record} at byte ${byteOffset}`;
}
