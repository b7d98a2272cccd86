import { execFile } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTick } from "node:timers/promises";
import { promisify } from "node:util";

/** A program from npm. */
export type NpmProgram = {
  /** Its folder in the cache, which includes the version. */
  readonly name: string;
  /** The packages that npm installs, versions included. */
  readonly packages: readonly string[];
  /** What npm installs instead of packages that these ask for, by name. */
  readonly overrides?: Readonly<Record<string, string>>;
  /** The program to run, below `node_modules`. */
  readonly program: string;
  /**
   * The beginning of the names of packages that hold a build for one platform each, if there are
   * any.
   */
  readonly builds?: string;
};

const cache = resolve(
  process.env["POND_CLIENT_CACHE"] ?? join("node_modules", ".cache", "pond-clients"),
);

/**
 * Returns the folder `node_modules` of a program, which is installed into a cache unless it is
 * there. If it has no build for this platform, says so and resolves to undefined.
 */
export async function installFromNpm({
  name,
  packages,
  overrides = {},
  program,
  builds,
}: NpmProgram): Promise<string | undefined> {
  const modules = join(cache, name, "node_modules");
  const isInstalled = (): boolean =>
    existsSync(join(modules, program)) && hasBuild(modules, builds);
  if (isInstalled()) return modules;
  mkdirSync(cache, { recursive: true });
  // Several test files want the same one at once: one installs it, and the others wait.
  const unlock = await lock(join(cache, `${name}.lock`));
  try {
    if (!isInstalled()) await install(name, packages, overrides);
    if (isInstalled()) return modules;
    console.warn(`skipped: ${name} has no build for this platform`);
    return undefined;
  } finally {
    unlock();
  }
}

function hasBuild(modules: string, builds: string | undefined): boolean {
  if (builds === undefined) return true;
  const { platform, arch } = process;
  return globSync(`${builds}-${platform}-${arch}*`, { cwd: modules }).length > 0;
}

const { packageManager } = JSON.parse(
  readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
);

/** Half an install must not look like a whole one: it is made aside, and then moved. */
async function install(
  name: string,
  packages: readonly string[],
  overrides: Readonly<Record<string, string>>,
): Promise<void> {
  const draft = mkdtempSync(join(cache, `${name}-`));
  try {
    writeFileSync(join(draft, "package.json"), JSON.stringify({ private: true }));
    // Laid out and built as by npm, which takes three times as long.
    const asNpm = { nodeLinker: "hoisted", dangerouslyAllowAllBuilds: true };
    const settings = { ...asNpm, lockfile: false, minimumReleaseAge: 0, overrides };
    writeFileSync(join(draft, "pnpm-workspace.yaml"), JSON.stringify(settings));
    const args = ["--yes", packageManager, "add", ...packages];
    await promisify(execFile)("npx", args, { cwd: draft, maxBuffer: 64 * 1024 * 1024 });
    rmSync(join(cache, name), { recursive: true, force: true });
    renameSync(draft, join(cache, name));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Waits for a lock between processes; one that dies releases it. */
async function lock(path: string): Promise<() => void> {
  const database = new DatabaseSync(path, { timeout: 1_000 });
  for (;;) {
    try {
      database.exec("BEGIN EXCLUSIVE");
      return () => database.close();
    } catch (error) {
      if (!/locked/.test(String(error))) throw error;
      // A test worker that does not answer for long is given up.
      await nextTick();
    }
  }
}
