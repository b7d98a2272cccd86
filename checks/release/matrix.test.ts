// The packages as a release would publish them, installed by npm and by pnpm, in every use and on
// every runtime. Takes minutes: POND_ALL=1.
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Consumer, compile, createConsumer, importsOf } from "./consumer.ts";
import { type ExampleFile, forExamples, writeExamples } from "./consumer-examples.ts";
import { published } from "./packages.ts";
import { type Runtime, runtimes } from "./runtimes.ts";
import { type Stage, stageRelease } from "./stage.ts";
import { runOn, syncTwice, useCommand, useServer } from "./uses.ts";

const isLong = process.env["POND_ALL"] === "1";
if (!isLong) console.warn("skipped: npm and pnpm, every runtime, every use; POND_ALL=1 runs them");

const compilers = {
  "TypeScript 7": resolve("node_modules/typescript/bin/tsc"),
  "TypeScript 5.9": "node_modules/typescript-5.9/bin/tsc",
} as const;

let stage: Stage;

describe.runIf(isLong)("the packages of a release", { timeout: 240_000 }, () => {
  beforeAll(async () => {
    stage = await stageRelease();
  }, 240_000);
  afterAll(() => stage?.remove());

  describe.each(["npm", "pnpm"] as const)("installed by %s", (manager) => {
    let consumer: Consumer;
    let examples: readonly ExampleFile[];

    beforeAll(async () => {
      const ours = published.map(({ manifest }) => manifest.name);
      const others = ["@types/node@24", "typescript-5.9@npm:typescript@5.9"];
      consumer = await createConsumer(manager, [...ours, ...others], stage.packed);
      consumer.write("imports.ts", importsOf(stage.packed));
      examples = writeExamples(consumer);
    }, 240_000);
    afterAll(() => consumer?.remove());

    describe.each(Object.entries(compilers))("compiled by %s", (_, compiler) => {
      test.each([
        { module: "nodenext", exactOptionalPropertyTypes: true },
        { module: "nodenext", exactOptionalPropertyTypes: false },
        { module: "esnext", moduleResolution: "bundler", exactOptionalPropertyTypes: true },
        { module: "esnext", moduleResolution: "bundler", exactOptionalPropertyTypes: false },
      ])("%j", async (options) => {
        expect(await compile(consumer, compiler, ["imports.ts"], options)).toBe("");
      });

      test("every example compiles", async () => {
        const files = examples.map(({ folder, file }) => join(folder, file));

        expect(await compile(consumer, compiler, files, forExamples)).toBe("");
      });
    });

    describe.each(runtimes)("on %s", (name, install) => {
      let runtime: Runtime;

      beforeAll(async () => {
        runtime = (await install()) ?? expect.fail(`no ${name} here`);
      });

      test("every export can be imported", async () => {
        const lines = await runOn(consumer, runtime, { file: "imports.ts" });

        expect(lines.replaceAll(/^.* true\n/gm, "")).toBe("");
      });

      test("every example prints what its page says", async () => {
        const printed = [];
        for (const example of examples) printed.push(await runOn(consumer, runtime, example));

        expect(printed.map(withoutLayout)).toEqual(
          examples.map((each) => withoutLayout(each.printed)),
        );
      });

      test("pond imports, finds and shows a session", async () => {
        const [imported, found, shown] = await useCommand(consumer, runtime);

        expect(imported).toContain("5 sessions: 5 new");
        expect(found).toContain("1 session found");
        expect(shown).toContain("Session f1a4e000");
      });

      test("pond does not read again what has not changed", async () => {
        expect(await syncTwice(consumer, runtime)).toContain("0 records read");
      });

      test("pond-server stores and finds what a program records, then stops", async () => {
        expect(await useServer(consumer, runtime)).toEqual({
          answered: "Which thread broke?\n",
          code: 0,
        });
      });
    });
  });
});

/** What was printed, but how `console.log` lays out values: each runtime has quotes of its own. */
function withoutLayout(printed: string): string {
  return printed.replaceAll('"', "'").replaceAll(/,?\s+/g, " ").trim();
}
