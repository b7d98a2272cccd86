import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { foundInputs, readFound } from "./found.ts";
import { runCases } from "./run-cases.ts";
import { runTargets } from "./run-targets.ts";
import type { Target } from "./target.ts";
import { targets } from "./targets/index.ts";

// `pnpm fuzz` runs as many cases as it is told. These are the same in every run.
const options = { cases: 200, seed: 20_261_120, isGuided: false };

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), "pond-fuzz-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it("keeps every promise for generated inputs of every target", async () => {
  const answers = await runTargets(
    targets.map(({ name }) => name),
    options,
  );

  const broken = answers.flatMap(({ target, found }) =>
    found.map(({ message }) => `${target}: ${message}`),
  );
  expect(broken).toEqual([]);
});

it.each(foundInputs())(
  "keeps every promise for an input that fuzzing once found, $target: $name",
  async ({ target, name }) => {
    const own = targets.find((each) => each.name === target);

    await own?.run(readFound(target, name), scratch);

    expect(own).toBeDefined();
  },
);

/** Targets that break the promises of all targets, each in its own way. */
const broken: readonly (readonly [string, Pick<Target, "run">, RegExp])[] = [
  ["throws", { run: () => Promise.reject(new TypeError("a mistake")) }, /^TypeError: a mistake$/],
  [
    "pollutes the object prototype",
    {
      run: async () => {
        Object.assign(Object.prototype, { polluted: true });
      },
    },
    /^the prototype has polluted$/,
  ],
];

it.each(broken)("reports a target that %s", async (_, { run }, message) => {
  const target: Target = {
    name: "demo",
    sources: /^$/,
    seeds: () => [new Map([["", Buffer.from("{}")]])],
    mutate: (input) => input,
    run,
  };

  const { found } = await runCases(target, { cases: 3, seed: 1, scratch });
  Reflect.deleteProperty(Object.prototype, "polluted");

  expect(found.map((each) => each.message)).toEqual([expect.stringMatching(message)]);
});
