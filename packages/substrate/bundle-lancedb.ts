// Puts the JavaScript of @lancedb/lancedb into dist, unchanged, and lets dist load it from there.
// As a dependency it would bring @huggingface/transformers and openai: 600 MB that pond never runs.
// Its native builds, and what it imports, are dependencies of this package instead.
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, relative } from "node:path";

const source = dirname(createRequire(import.meta.url).resolve("@lancedb/lancedb"));
const { name, version, license } = JSON.parse(readFileSync(`${source}/../package.json`, "utf8"));

cpSync(source, "dist/lancedb", { recursive: true });
const manifest = { name, version, license, type: "commonjs" };
writeFileSync("dist/lancedb/package.json", `${JSON.stringify(manifest, null, 2)}\n`);
for (const file of globSync("dist/**/*.{js,d.ts}", { exclude: ["dist/lancedb"] })) {
  const text = readFileSync(file, "utf8");
  const path = relative(dirname(file), "dist/lancedb/index.js");
  writeFileSync(
    file,
    text.replaceAll(`"${name}"`, `"${path.startsWith(".") ? path : `./${path}`}"`),
  );
}
