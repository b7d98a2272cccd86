import { equal } from "node:assert/strict";
import { type AdapterCase, type CompleteKit, fixturesOf } from "../kit.ts";
import { mapRecords, withFields, withType } from "../mutate.ts";
import { roundTripCase } from "./round-trip.ts";

const hostileTypes = ["constructor", "__proto__", "toString", "a type of tomorrow"];

const hostileNumbers = ["9007199254740993", "1e400", "-0.10000000000000000001", "1.0"];

const hostileKeys = [
  '"__proto__":{"polluted":true}',
  '"constructor":{"prototype":{"polluted":true}}',
  '"hasOwnProperty":1',
  '"toString":null',
  '"rawJSON":"1"',
  '"toJSON":{}',
];

/** Records that nobody expected are carried like any other. */
export function hostileCases(kit: CompleteKit): readonly AdapterCase[] {
  return fixturesOf(kit).flatMap((fixture) =>
    changes.map(([name, change]) => {
      const load = async () => mapRecords(kit, await fixture.load(), change);
      return unpolluted(roundTripCase(kit, { ...fixture, load }, `${name} are carried in`));
    }),
  );
}

type Change = (lines: readonly Buffer[]) => readonly Buffer[];

const inEach =
  (fields: string): Change =>
  (lines) =>
    lines.map((line) => withFields(line, fields));

const inLast =
  (fields: () => string): Change =>
  (lines) => [...lines.slice(0, -1), ...inEach(fields())(lines.slice(-1))];

const changes: readonly (readonly [string, Change])[] = [
  ["keys of Object.prototype", inEach(hostileKeys.join(","))],
  ["numbers no double carries", inEach(`"pond_test":[${hostileNumbers.join(",")}]`)],
  [
    "lone surrogates and NUL",
    inEach('"pond_test":{"\\ud800":"\\udfff","\\u0000":"a\\u0000b","":"\\ufeff"}'),
  ],
  ["10,000 levels", inLast(() => `"pond_test":${'{"a":['.repeat(5000)}1${"]}".repeat(5000)}`)],
  ["a million characters", inLast(() => `"pond_test":"${"long ".repeat(200_000)}"`)],
  [
    "unknown record types",
    (lines) => [
      ...lines,
      ...lines.slice(-1).flatMap((line) => hostileTypes.map((type) => withType(line, type))),
    ],
  ],
];

function unpolluted(inner: AdapterCase): AdapterCase {
  const run = async () => {
    await inner.run();
    equal("polluted" in {}, false, "a record changed Object.prototype");
  };
  return { ...inner, run };
}
