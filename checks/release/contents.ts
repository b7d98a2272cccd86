import { globSync, readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, normalize } from "node:path";
import type { Manifest } from "./packages.ts";
import type { Packed } from "./stage.ts";

/** The files of a package, below it. */
function filesOf({ contents }: Packed): readonly string[] {
  return globSync("**/*", { cwd: contents })
    .filter((file) => statSync(join(contents, file)).isFile())
    .sort();
}

/** Files that only tests or the repository need. */
const unwanted =
  /\.test|test-kit|test-setup|(^|\/)testing|__snapshots__|(^|\/)fixtures?\/|\.env$|tsbuildinfo|\.log$/;

/** What is wrong with a package as published, one line each. */
export function problemsOf(packed: Packed): readonly string[] {
  const files = filesOf(packed);
  const isThere = (file: string): boolean => files.includes(normalize(file));
  return [
    ...["LICENSE", "README.md"]
      .filter((file) => !isThere(file))
      .map((file) => `${file} is missing`),
    ...targetsOf(packed.manifest)
      .filter((file) => !isThere(file))
      .map((file) => `package.json names ${file}, which is missing`),
    ...files.filter((file) => unwanted.test(file)).map((file) => `${file} is not for users`),
    ...files.filter((file) => file.endsWith(".map")).flatMap((file) => lostSources(packed, file)),
    ...undeclaredImports(packed, files),
    ...Object.entries({ ...packed.manifest.dependencies, ...packed.manifest.peerDependencies })
      .filter(([, range]) => /^(workspace|catalog|link|file):|^\^?0\.0\.0$/.test(range))
      .map(([name, range]) => `depends on ${name} ${range}, which no registry has`),
  ];
}

function targetsOf({ bin = {}, man = [], exports = {} }: Manifest): readonly string[] {
  const exported = Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [target] : Object.values(target),
  );
  return [...Object.values(bin), ...man, ...exported];
}

function lostSources({ contents }: Packed, map: string): readonly string[] {
  const { sources, sourcesContent = [] }: { sources: string[]; sourcesContent?: string[] } =
    JSON.parse(readFileSync(join(contents, map), "utf8"));
  const files = new Set(globSync("src/**/*.ts", { cwd: contents }));
  return sources
    .filter((source, index) => {
      const isInside = typeof sourcesContent[index] === "string";
      return !isInside && !files.has(join(dirname(map), source));
    })
    .map((source) => `${map} names ${source}, which is missing`);
}

/** Packages that built code or declarations import although the manifest does not name them. */
function undeclaredImports(
  { contents, manifest }: Packed,
  files: readonly string[],
): readonly string[] {
  const declared = [
    manifest.name,
    ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
  ];
  return files
    .filter((file) => /^dist\/(?!lancedb\/).*(\.js|\.d\.ts)$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(contents, file), "utf8");
      const names = [
        ...text.matchAll(/(?:^(?:import|export)[^"'`;]*? from |\bimport\()"([^".][^"]*)"/gm),
      ].map(([, specifier = ""]) => specifier);
      return names
        .filter((name) => !isBuiltin(name) && !declared.includes(packageOf(name)))
        .map((name) => `${file} imports ${name}, which is not declared`);
    });
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}
