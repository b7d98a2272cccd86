import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Input } from "./target.ts";

/** Every file below a folder, by its path there. */
export function readInput(folder: string): Input {
  const entries = globSync("**/*", { cwd: folder, withFileTypes: true });
  const paths = entries.flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name).slice(folder.length + 1)] : [],
  );
  return new Map(paths.sort().map((path) => [path, readFileSync(join(folder, path))]));
}
