import { equal } from "node:assert/strict";
import { type AdapterCase, type CompleteKit, fixturesOf } from "../kit.ts";
import { mapLineFiles, withFields, withType } from "../mutate.ts";
import { roundTripCase } from "./round-trip.ts";

/** Records nobody expected are carried like any other. */
export function hostileCases(kit: CompleteKit): readonly AdapterCase[] {
  const depth = 10_000;
  const deep = `${'{"a":['.repeat(depth / 2)}1${"]}".repeat(depth / 2)}`;
  const long = JSON.stringify("long ".repeat(200_000));
  const fields: readonly (readonly [string, string])[] = [
    ["keys of Object.prototype", hostileKeys],
    [
      "numbers no double carries",
      '"pond_test":[9007199254740993,1e400,-0.10000000000000000001,1.0]',
    ],
    [
      "lone surrogates and NUL",
      '"pond_test":{"\\ud800":"\\udfff","\\u0000":"a\\u0000b","":"\\ufeff"}',
    ],
    ["10,000 levels", `"pond_test":${deep}`],
    ["a million characters", `"pond_test":${long}`],
  ];
  return fixturesOf(kit).flatMap((fixture) => [
    ...fields.map(([name, text]) => {
      const load = async () => {
        const files = await fixture.load();
        return mapLineFiles(kit, files, (lines) => lines.map((line) => withFields(line, text)));
      };
      return unpolluted(roundTripCase(kit, { ...fixture, load }, `${name} are carried in`));
    }),
    unpolluted(
      roundTripCase(
        kit,
        {
          ...fixture,
          load: async () =>
            mapLineFiles(kit, await fixture.load(), (lines) => [
              ...lines,
              ...lines
                .slice(-1)
                .flatMap((line) => hostileTypes.map((type) => withType(line, type))),
            ]),
        },
        "unknown record types are carried in",
      ),
    ),
  ]);
}

const hostileTypes = ["constructor", "__proto__", "toString", "a type of tomorrow"];

const hostileKeys = [
  '"__proto__":{"polluted":true}',
  '"constructor":{"prototype":{"polluted":true}}',
  '"hasOwnProperty":1',
  '"toString":null',
  '"rawJSON":"1"',
  '"toJSON":{}',
].join(",");

function unpolluted(inner: AdapterCase): AdapterCase {
  const run = async () => {
    await inner.run();
    equal("polluted" in {}, false, "a record changed Object.prototype");
  };
  return { ...inner, run };
}
