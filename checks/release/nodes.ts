import { join } from "node:path";
import { installFromNpm } from "@pond/npm-testkit";

/** The earliest Node that pond runs on (`engines`). */
export const firstNode = "22.18.0";
/** That Node, the one that pond is developed on, and the newest release line. */
export const nodeVersions: readonly string[] = [firstNode, "24.21.0", "26.10.0"];

/** A Node of a version, from npm; undefined if there is none for this platform. */
export async function installNode(version: string): Promise<string | undefined> {
  const build = `node-${process.platform}-${process.arch}`;
  const program = join(build, "bin/node");
  const packages = [`${build}@${version}`];
  const modules = await installFromNpm({ name: `node-${version}`, packages, program });
  return modules && join(modules, program);
}
