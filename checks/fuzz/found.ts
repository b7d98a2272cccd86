import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Input } from "./target.ts";

const folder = fileURLToPath(new URL("./found", import.meta.url));

/** Inputs that once broke a promise, cut down to what it takes. */
export function foundInputs(): readonly { readonly target: string; readonly name: string }[] {
  return globSync("*/*", { cwd: folder })
    .sort()
    .map((path) => {
      const [target = "", name = ""] = path.split("/");
      return { target, name };
    });
}

export function readFound(target: string, name: string): Input {
  const own = join(folder, target, name);
  const entries = globSync("**/*", { cwd: own, withFileTypes: true });
  const paths = entries.flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name).slice(own.length + 1)] : [],
  );
  return new Map(paths.sort().map((path) => [path, readFileSync(join(own, path))]));
}
