import { readFileSync } from "node:fs";
import { defineConfig } from "tsup";

type Exports = Record<string, string | { "@pond/source": string }>;

// Runs in each package: what it exports is what gets built. An app names its entry instead.
const { exports = {} } = JSON.parse(readFileSync("package.json", "utf8")) as { exports?: Exports };
const entry = Object.values(exports).flatMap((target) =>
  typeof target === "string" ? [] : target["@pond/source"],
);

export default defineConfig({
  entry,
  format: ["esm"],
  target: "node22",
  sourcemap: true,
  clean: true,
  silent: true,
});
