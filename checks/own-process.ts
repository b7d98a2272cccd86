import { readFileSync } from "node:fs";

/** Tests of concurrent writers, which need all cores at the same time. */
export function wantsAllCores(file: string): boolean {
  return /(chaos|concurrency|concurrent|many-workers|at-once|heal-race)\.test\.ts$/.test(file);
}

/** Tests that must not share a process: those that replace a module, or say why in a comment. */
export function wantsOwnProcess(file: string): boolean {
  return wantsAllCores(file) || /\bvi\.mock\(|^\/\/ Alone: /m.test(readFileSync(file, "utf8"));
}
