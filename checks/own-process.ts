import { readFileSync } from "node:fs";

/** Tests of writers at once, which want all cores at the very same time. */
export function wantsAllCores(file: string): boolean {
  return /(chaos|concurrency|concurrent|many-workers|at-once|heal-race)\.test\.ts$/.test(file);
}

/** Tests that no other may share a process with: what replaces a module, or says why not. */
export function wantsOwnProcess(file: string): boolean {
  return wantsAllCores(file) || /\bvi\.mock\(|^\/\/ Alone: /m.test(readFileSync(file, "utf8"));
}
