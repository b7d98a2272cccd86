import { join } from "node:path";
import { installFromNpm } from "@pond/npm-testkit";

/** What runs JavaScript: a program, and its arguments before those of what it runs. */
export type Runtime = readonly [program: string, ...args: string[]];

/** The earliest Node that pond runs on (`engines`). */
export const firstNode = "22.18.0";

/** That Node, the one that pond is developed on, the newest release line; and what stands in for Node. */
export const runtimes: readonly (readonly [name: string, () => Promise<Runtime | undefined>])[] = [
  ...[firstNode, "24.21.0", "26.10.0"].map(
    (version) => [`Node ${version}`, () => installNode(version)] as const,
  ),
  ["Bun 1.4.5", () => installBun("1.4.5")],
  ["Deno 2.9.6", () => installDeno("2.9.6")],
];

const { platform, arch } = process;

/** A Node of a version, from npm; undefined if there is none for this platform. */
export function installNode(version: string): Promise<Runtime | undefined> {
  return installBuild("node", `node-${platform}-${arch}@${version}`, ["bin/node"]);
}

function installBun(version: string): Promise<Runtime | undefined> {
  const machine = arch === "arm64" ? "aarch64" : arch;
  return installBuild("bun", `@oven/bun-${platform}-${machine}@${version}`, ["bin/bun", "--bun"]);
}

function installDeno(version: string): Promise<Runtime | undefined> {
  const library = platform === "linux" ? "-glibc" : "";
  const start = ["deno", "run", "--allow-all", "--node-modules-dir=manual"] as const;
  return installBuild("deno", `@deno/${platform}-${arch}${library}@${version}`, start);
}

/** @param start - The program's file in the package that holds it for one platform, and arguments. */
async function installBuild(
  name: string,
  build: string,
  [file, ...args]: Runtime,
): Promise<Runtime | undefined> {
  const [, folder = "", version] = /^(.+)@(.+)$/.exec(build) ?? [];
  const program = join(folder, file);
  const modules = await installFromNpm({ name: `${name}-${version}`, packages: [build], program });
  return modules === undefined ? undefined : [join(modules, program), ...args];
}
