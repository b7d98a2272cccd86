import { existsSync, globSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Packed } from "./stage.ts";

/** Bytes of what is measured, by name. */
export type Sizes = Readonly<Record<string, number>>;

/** What a package weighs on the way to a user, and on their disk, without what it depends on. */
export function sizesOfPackages(packed: readonly Packed[]): Sizes {
  return Object.fromEntries(
    packed.flatMap(({ manifest, packedBytes, contents }) => [
      [`${manifest.name}, packed`, packedBytes],
      [`${manifest.name}, unpacked`, bytesBelow(contents)],
    ]),
  );
}

/** What a package and all it depends on take on the disk, each once. */
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

/** Where Node finds a dependency; optional ones may be nowhere. */
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

/** Room for a change that is none of size. */
const headroom = 1.2;

/** What has outgrown its budget, or has none, each in a line. */
export function outgrown(sizes: Sizes, budgets: Sizes): readonly string[] {
  return Object.entries(sizes).flatMap(([name, bytes]) => {
    const budget = budgets[name];
    if (budget === undefined) return [`${name}: ${bytes} bytes, and no budget`];
    return bytes > budget ? [`${name}: ${bytes} bytes, over the budget of ${budget}`] : [];
  });
}

/** A fifth more than is needed now, in round numbers. */
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
