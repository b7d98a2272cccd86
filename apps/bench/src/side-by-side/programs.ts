import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { installFromNpm, type NpmProgram } from "@pond/npm-testkit";

/** The programs that a user would pick instead, as far as this machine has or can get them. */
export type Programs = {
  readonly ripgrep?: string;
  readonly jq?: string;
  readonly ccusage?: string;
  readonly codeburn?: string;
  /** Name and version of each program that is here. */
  readonly versions: readonly string[];
};

const platform = `${process.platform}-${process.arch}`;
const npmPrograms = {
  ripgrep: {
    ...{ name: "ripgrep-1.18.0", packages: ["@vscode/ripgrep@1.18.0"] },
    program: `@vscode/ripgrep-${platform}/bin/rg`,
  },
  // The builds of later versions are not available everywhere yet.
  ccusage: {
    ...{ name: "ccusage-20.0.24", packages: ["ccusage@20.0.24"], program: ".bin/ccusage" },
    builds: "@ccusage/ccusage",
  },
  codeburn: {
    ...{ name: "codeburn-0.9.15", packages: ["codeburn@0.9.15"], program: ".bin/codeburn" },
  },
} satisfies Record<string, NpmProgram>;

/** Takes those on the PATH first, and says on stderr which are missing. */
export async function findPrograms(): Promise<Programs> {
  // The cache belongs to the workspace, wherever this was started.
  process.chdir(resolve(import.meta.dirname, "../../../.."));
  const found = {
    ripgrep: onPath("rg") ?? (await fromNpm(npmPrograms.ripgrep)),
    jq: onPath("jq"),
    ccusage: await fromNpm(npmPrograms.ccusage),
    codeburn: await fromNpm(npmPrograms.codeburn),
  };
  const versions: string[] = [];
  for (const [name, path] of Object.entries(found)) {
    if (path === undefined) console.error(`skipped: ${name} is not on this machine`);
    else versions.push(`${name} ${versionOf(path)}`);
  }
  const { ripgrep, jq, ccusage, codeburn } = found;
  return {
    ...(ripgrep && { ripgrep }),
    ...(jq && { jq }),
    ...(ccusage && { ccusage }),
    ...(codeburn && { codeburn }),
    versions,
  };
}

function onPath(name: string): string | undefined {
  return spawnSync(name, ["--version"]).status === 0 ? name : undefined;
}

async function fromNpm(program: NpmProgram): Promise<string | undefined> {
  try {
    const modules = await installFromNpm(program);
    return modules === undefined ? undefined : join(modules, program.program);
  } catch (error) {
    // There is no network, and no cache of the program.
    console.error(`${program.name}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

function versionOf(path: string): string {
  const [line = ""] = spawnSync(path, ["--version"], { encoding: "utf8" }).stdout.split("\n");
  return /\d[\w.]*/.exec(line)?.[0] ?? "";
}
