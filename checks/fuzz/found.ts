import { globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readInput } from "./read-input.ts";
import type { Input } from "./target.ts";

const folder = fileURLToPath(new URL("./found", import.meta.url));

/** Inputs that once broke a promise, reduced to the minimum. */
export function foundInputs(): readonly { readonly target: string; readonly name: string }[] {
  return globSync("*/*", { cwd: folder })
    .sort()
    .map((path) => {
      const [target = "", name = ""] = path.split("/");
      return { target, name };
    });
}

export function readFound(target: string, name: string): Input {
  return readInput(join(folder, target, name));
}
