import { existsSync, globSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Packed } from "./stage.ts";

/** Measured sizes in bytes, by name. */
export type Sizes = Readonly<Record<string, number>>;

/** The size of a package as downloaded and on disk, without its dependencies. */
export function sizesOfPackages(packed: readonly Packed[]): Sizes {
  return Object.fromEntries(
    packed.flatMap(({ manifest, packedBytes, contents }) => [
      [`${manifest.name}, packed`, packedBytes],
      [`${manifest.name}, unpacked`, bytesBelow(contents)],
    ]),
  );
}

/** The size on disk of a package and all its dependencies, each counted once. */
export function installedBytes(folder: string, seen: Set<string> = new Set()): number {
  const own = realpathSync(folder);
  if (seen.has(own)) return 0;
  seen.add(own);
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(own, "package.json"), "utf8"),
  );
  const found = Object.keys({ ...dependencies, ...optionalDependencies }).flatMap(
    (name) => installed(own, name) ?? [],
  );
  return found.reduce((sum, each) => sum + installedBytes(each, seen), bytesBelow(own));
}

/** Where Node finds a dependency; undefined for an optional one that is not installed. */
function installed(from: string, name: string): string | undefined {
  const folder = join(from, "node_modules", name);
  if (existsSync(folder)) return folder;
  return dirname(from) === from ? undefined : installed(dirname(from), name);
}

function bytesBelow(folder: string): number {
  return globSync("**/*", { cwd: folder, exclude: ["node_modules"] })
    .map((file) => lstatSync(join(folder, file)))
    .reduce((sum, stat) => (stat.isFile() ? sum + stat.size : sum), 0);
}

/** Room for a change that does not concern size. */
const headroom = 1.2;

/** Sizes that exceed their budget, or have none, one line each. */
export function outgrown(sizes: Sizes, budgets: Sizes): readonly string[] {
  return Object.entries(sizes).flatMap(([name, bytes]) => {
    const budget = budgets[name];
    if (budget === undefined) return [`${name}: ${bytes} bytes, and no budget`];
    return bytes > budget ? [`${name}: ${bytes} bytes, over the budget of ${budget}`] : [];
  });
}

/** A fifth more than the present size, in round numbers. */
export function budgetsFor(sizes: Sizes): Sizes {
  const entries = Object.entries(sizes).map(([name, bytes]) => {
    const unit = 10 ** (Math.floor(Math.log10(bytes)) - 1);
    return [name, Math.ceil((bytes * headroom) / unit) * unit];
  });
  return Object.fromEntries(entries);
}

export function tableOf(sizes: Sizes, budgets: Sizes): string {
  const kilobytes = (bytes = 0): string => (bytes / 1000).toFixed(0).padStart(9);
  const rows = Object.entries(sizes).map(
    ([name, bytes]) => `${kilobytes(bytes)}${kilobytes(budgets[name])}  ${name}`,
  );
  return [`${"kB".padStart(9)}${"budget".padStart(9)}`, ...rows].join("\n");
}
