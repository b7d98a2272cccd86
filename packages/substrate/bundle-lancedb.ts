// Puts @lancedb/lancedb and apache-arrow into dist, each as one file, and makes dist load them from
// there. As 170 separate files they took half of the time in which a command starts. As a
// dependency, @lancedb/lancedb would also bring @huggingface/transformers and openai, 600 MB that
// pond never runs. Its native builds are dependencies of this package instead.
import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";

type Bundle = {
  readonly file: string;
  readonly entry: string;
  /** Types that the declarations of this package name. No others are promised to anyone. */
  readonly types: readonly string[];
};

const require = createRequire(import.meta.url);
const folder = "dist/lancedb";
const bundles: Readonly<Record<string, Bundle>> = {
  "@lancedb/lancedb": {
    file: "index.js",
    entry: require.resolve("@lancedb/lancedb"),
    types: ["Connection", "FullTextQuery", "Query", "Session", "Table", "VectorQuery"],
  },
  "apache-arrow": {
    file: "arrow.js",
    // esbuild turns modules into one scope, but what `require` finds into a function each.
    entry: require.resolve("apache-arrow").replace(/\.js$/, ".mjs"),
    types: ["DataType", "Field", "FixedSizeList<_>", "Float16", "RecordBatch", "Schema", "Table"],
  },
};

// What computes embeddings inside the engine, and its metrics.
const unused =
  /[\\/](embedding[\\/]index|rerankers[\\/]index|otel|reflect-metadata[\\/]Reflect)\.js$/;
const leaveOut: Plugin = {
  name: "leave-out",
  setup: ({ onLoad }) => onLoad({ filter: unused }, () => ({ contents: "" })),
};
/** One copy of Arrow, as a file of its own: it is loaded before the engine. */
const shareArrow: Plugin = {
  name: "share-arrow",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^apache-arrow$/ }, () => ({ path: "./arrow.js", external: true })),
};
/** The engine's own message blames npm, also on a platform that it has no build for. */
const sayWhatIsMissing: Plugin = {
  name: "say-what-is-missing",
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]@lancedb[\\/]lancedb[\\/]dist[\\/]native\.js$/ }, ({ path }) => {
      const [before, after, ...more] = readFileSync(path, "utf8").split(blamesNpm);
      if (after === undefined || more.length > 0) throw new Error(`${path}: another message`);
      return { contents: `${before}${noEngine}${after}` };
    }),
};
const blamesNpm = /`Cannot find native binding[^,]*(?=,)/;
const { optionalDependencies }: { optionalDependencies: Record<string, string> } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
const platforms = Object.keys(optionalDependencies).map((name) =>
  name.slice("@lancedb/lancedb-".length),
);
/** An expression, for the platform on which it is evaluated. */
const noEngine = `\`@pond/substrate cannot load its engine on \${process.platform}-\${process.arch}. There are builds for ${platforms.join(", ")}, each an optional dependency: on one of these, install again without leaving optional dependencies out.\``;
const options: BuildOptions = {
  bundle: true,
  platform: "node",
  target: "node22",
  format: "cjs",
  external: ["*.node", "@lancedb/lancedb-*"],
  plugins: [leaveOut, shareArrow, sayWhatIsMissing],
  // Names are kept, for stacks.
  minifyWhitespace: true,
  minifySyntax: true,
  banner: { js: "// By others and shortened; LICENSES.txt names them and their licences." },
  metafile: true,
};

/** The folder of each package from which something was taken. */
const packages = new Set<string>();
for (const { file, entry, types } of Object.values(bundles)) {
  const outfile = join(folder, file);
  const { metafile } = await build({ ...options, entryPoints: [entry], outfile });
  for (const { inputs } of Object.values(metafile.outputs))
    for (const input of Object.keys(inputs)) {
      const [path = ""] = /.*node_modules\/(@[^/]+\/)?[^/]+/.exec(input) ?? [];
      if (!unused.test(input)) packages.add(path);
    }
  const declarations = types.map((type) => `export type ${type} = unknown;\n`);
  writeFileSync(outfile.replace(/\.js$/, ".d.ts"), declarations.join(""));
}
writeFileSync(join(folder, "package.json"), '{ "type": "commonjs" }\n');
writeFileSync(join(folder, "LICENSES.txt"), [...packages].sort().map(licenceOf).join("\n\n"));

for (const file of globSync("dist/**/*.{js,d.ts}", { exclude: [folder] })) {
  let text = readFileSync(file, "utf8");
  for (const [name, bundle] of Object.entries(bundles)) {
    const path = relative(dirname(file), join(folder, bundle.file)).replaceAll("\\", "/");
    text = text.replaceAll(`"${name}"`, `"${path.startsWith(".") ? path : `./${path}`}"`);
  }
  writeFileSync(file, text);
}

/** The licence of a package, with the texts that have to accompany it. */
function licenceOf(path: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  const texts = readdirSync(path)
    .filter((file) => /^(licen[cs]e|notice|copyrightnotice)(\.txt|\.md)?$/i.test(file))
    .map((file) => readFileSync(join(path, file), "utf8").trim());
  if (texts.length === 0 && license === "Apache-2.0")
    texts.push("The text of this licence is in ../../LICENSE.");
  if (texts.length === 0) throw new Error(`${name} brings no text of its licence along`);
  return [`${"=".repeat(80)}\n${name} ${version}: ${license}`, ...texts].join("\n\n");
}
