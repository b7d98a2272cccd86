// What a release would publish: versions, contents, sizes, licences; installed by npm, compiled and
// imported. POND_ALL=1 adds matrix.test.ts. UPDATE=1 writes sizes.json and docs/licences.md.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Consumer, compile, createConsumer, importsOf } from "./consumer.ts";
import { type ExampleFile, forExamples, writeExamples } from "./consumer-examples.ts";
import { problemsOf } from "./contents.ts";
import { isAllowed, licencesOf, pageOf } from "./licences.ts";
import { lintOf } from "./lint.ts";
import { published, readManifest, workspacePackages } from "./packages.ts";
import { firstNode, installNode } from "./runtimes.ts";
import { budgetsFor, installedBytes, outgrown, sizesOfPackages, tableOf } from "./sizes.ts";
import { pnpm, type Stage, stageRelease } from "./stage.ts";
import { runOn, useCommand } from "./uses.ts";

const isUpdating = process.env["UPDATE"] === "1";
const compiler = resolve("node_modules/typescript/bin/tsc");
/** Packages that need nothing native also compile without the types of Node. */
const portable = ["canonical", "wire", "client", "recorder", "adapters", "adapter-testkit"];

let stage: Stage;
let consumer: Consumer;
let examples: readonly ExampleFile[];

beforeAll(async () => {
  stage = await stageRelease();
  const names = published.map(({ manifest }) => manifest.name);
  consumer = await createConsumer("npm", [...names, "@types/node@24"], stage.packed);
  examples = writeExamples(consumer);
}, 240_000);

afterAll(() => {
  stage?.remove();
  consumer?.remove();
});

describe("a release", () => {
  test("gives every package a version above 0.0 and a changelog", () => {
    const versions = stage.packed.map(({ manifest }) => `${manifest.name} ${manifest.version}`);
    const silent = published.filter(
      ({ folder }) => !existsSync(join(stage.folder, folder, "CHANGELOG.md")),
    );

    expect(versions.filter((each) => / 0\.0\./.test(each))).toEqual([]);
    expect(silent).toEqual([]);
    expect(stage.packed.map(({ manifest }) => manifest.name).sort()).toEqual(
      published.map(({ manifest }) => manifest.name).sort(),
    );
  });

  test("writes no changelog for private packages", () => {
    const changed = workspacePackages.filter(
      ({ folder, manifest }) =>
        manifest.private === true && existsSync(join(stage.folder, folder, "CHANGELOG.md")),
    );

    expect(changed).toEqual([]);
  });

  test.each(published)("packs in $folder what users need and nothing else", ({ manifest }) => {
    const packed = stage.packed.find((each) => each.manifest.name === manifest.name);

    expect(packed && problemsOf(packed)).toEqual([]);
  });

  test("is resolved, types included, by every loader of ES modules", async () => {
    const found: string[] = [];
    for (const packed of stage.packed) {
      found.push(...(await lintOf(packed)).map((line) => `${packed.manifest.name}: ${line}`));
    }

    expect(found).toEqual([]);
  });

  test("keeps every package within its budget of bytes", () => {
    const file = join(import.meta.dirname, "sizes.json");
    const modules = join(consumer.folder, "node_modules");
    const installed = ["@pond/cli", "@pond/server-app", "@pond/client", "@pond/canonical"];
    const sizes = {
      ...sizesOfPackages(stage.packed),
      ...Object.fromEntries(
        installed.map((name) => [`${name}, installed`, installedBytes(join(modules, name))]),
      ),
      "onnxruntime-node, installed": installedBytes("packages/embed/node_modules/onnxruntime-node"),
    };
    if (isUpdating) writeFileSync(file, `${JSON.stringify(budgetsFor(sizes), null, 2)}\n`);
    const budgets = JSON.parse(readFileSync(file, "utf8"));
    console.log(tableOf(sizes, budgets));

    expect(outgrown(sizes, budgets)).toEqual([]);
    expect(Object.keys(budgets)).toEqual(Object.keys(sizes));
  });
});

test("@pond/substrate depends on exactly the native builds that LanceDB names, in LanceDB's version", () => {
  const { devDependencies, optionalDependencies } = readManifest("packages/substrate");
  const { version, ...engine } = readManifest("packages/substrate/node_modules/@lancedb/lancedb");
  const builds = Object.entries(engine.optionalDependencies ?? {}).filter(([name]) =>
    name.startsWith("@lancedb/"),
  );

  expect(devDependencies).toHaveProperty("@lancedb/lancedb");
  expect(optionalDependencies).toEqual(Object.fromEntries(builds));
  expect(new Set(Object.values(optionalDependencies ?? {}))).toEqual(new Set([version]));
});

test("@pond/substrate says which builds there are, where it has none", async () => {
  const { contents } =
    stage.packed.find(({ manifest }) => manifest.name === "@pond/substrate") ?? expect.fail();
  // Unpacked alone, so that no build is found.
  const engine = JSON.stringify(join(contents, "dist/lancedb/index.js"));

  const printed = await consumer.run(process.execPath, ["--eval", `require(${engine})`]);

  const here = `${process.platform}-${process.arch}`;
  expect(printed).toContain(`@pond/substrate cannot load its engine on ${here}.`);
  expect(printed).toContain("builds for darwin-arm64, linux-arm64-gnu");
});

describe("installed by npm", () => {
  test("every package holds exactly the files that were packed", () => {
    const others = stage.packed.filter(
      ({ manifest, contents }) =>
        !isDeepStrictEqual(
          filesIn(join(consumer.folder, "node_modules", manifest.name)),
          filesIn(contents),
        ),
    );

    expect(others.map(({ manifest }) => manifest.name)).toEqual([]);
  });

  // A regular expression that an older engine does not know breaks everything that imports it.
  test.each([process.version, firstNode])(
    "every export can be imported by Node %s",
    async (version) => {
      const isThis = version === process.version;
      const node = isThis ? ([process.execPath] as const) : await installNode(version);
      consumer.write("imports.ts", importsOf(stage.packed));

      const printed = await runOn(consumer, node ?? expect.fail(`no Node ${version} here`), {
        file: "imports.ts",
      });
      const lines = printed.trim().split("\n");

      expect(lines.filter((line) => !line.endsWith(" true"))).toEqual([]);
      expect(lines.length).toBeGreaterThan(stage.packed.length);
    },
    240_000,
  );

  test("every declaration compiles", async () => {
    expect(await compile(consumer, compiler, ["imports.ts"], { module: "nodenext" })).toBe("");
  });

  test("every example compiles", async () => {
    const files = examples.map(({ folder, file }) => join(folder, file));

    expect(await compile(consumer, compiler, files, forExamples)).toBe("");
  });

  // Uses the engine as it was put into dist, which nothing that runs from source loads.
  test("pond imports, finds and shows a session", async () => {
    const [imported, found, shown] = await useCommand(consumer, [process.execPath]);

    expect(imported).toContain("5 sessions: 5 new");
    expect(found).toContain("1 session found");
    expect(shown).toContain("Session f1a4e000");
  });
});

/** The files of a package with their content. */
function filesIn(folder: string): ReadonlyMap<string, Buffer> {
  const files = globSync("**/*", { cwd: folder, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const paths = files.map((each) => relative(folder, join(each.parentPath, each.name)));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(folder, path))]));
}

test("the portable packages compile without the types of Node", async () => {
  const names = portable.map((name) => `@pond/${name}`);
  const bare = await createConsumer("pnpm", names, stage.packed);
  try {
    const packed = stage.packed.filter(({ manifest }) => names.includes(manifest.name));
    bare.write("imports.ts", importsOf(packed));
    const options = { module: "nodenext", types: [] };

    expect(await compile(bare, compiler, ["imports.ts"], options)).toBe("");
  } finally {
    bare.remove();
  }
});

describe("the third-party dependencies", () => {
  test("have licences that let anybody use them, and are listed in docs/licences.md", async () => {
    const licensed = await licencesOf();
    if (isUpdating) writeFileSync("docs/licences.md", pageOf(licensed));

    expect(licensed.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
    expect(readFileSync("docs/licences.md", "utf8")).toBe(pageOf(licensed));
  });

  test("have no known vulnerability of high or critical severity", async (context) => {
    const { stdout } = await pnpm(["audit", "--prod", "--json"], ".").catch((error) => error);
    const report = stdout.startsWith("{") ? JSON.parse(stdout) : undefined;
    if (report?.metadata === undefined) {
      console.warn("skipped: the registry of this machine does not answer audits");
      return context.skip();
    }
    const { high, critical } = report.metadata.vulnerabilities;

    expect({ high, critical }).toEqual({ high: 0, critical: 0 });
  });
});
