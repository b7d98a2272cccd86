import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Manifest, published, readManifest, staleBuilds } from "./packages.ts";

const run = promisify(execFile);

/** A package as it is published to npm. */
export type Packed = {
  /** Its folder in the workspace. */
  readonly folder: string;
  /** The manifest in the tarball. */
  readonly manifest: Manifest;
  readonly tarball: string;
  readonly packedBytes: number;
  /** Where the tarball was unpacked. */
  readonly contents: string;
};

export type Stage = {
  /** A copy of the repository, with the next versions. */
  readonly folder: string;
  readonly packed: readonly Packed[];
  remove(): void;
};

/** pnpm in the version of the repository, which may not be on the PATH. */
export function pnpm(args: readonly string[], cwd: string): Promise<{ stdout: string }> {
  const { packageManager } = JSON.parse(readFileSync("package.json", "utf8"));
  const options = { cwd, maxBuffer: 64 * 1024 * 1024 };
  return run("npx", ["--yes", packageManager, ...args], options);
}

/**
 * Does in a copy what a release does here: sets the next versions, and packs each package.
 *
 * @throws If a package is not built from the present sources.
 */
export async function stageRelease(): Promise<Stage> {
  const stale = staleBuilds();
  if (stale.length > 0) throw new Error(`run \`pnpm build\` first: ${stale.join(", ")}`);
  const base = mkdtempSync(join(tmpdir(), "pond-release-"));
  const folder = join(base, "repository");
  const top = ["package.json", "pnpm-workspace.yaml", "LICENSE", ".changeset"];
  for (const each of [...top, "packages", "apps", "checks/package.json"]) {
    cpSync(each, join(folder, each), {
      recursive: true,
      filter: (from) => !["node_modules", ".turbo"].includes(basename(from)),
    });
  }
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  await run(resolve("node_modules/.bin/changeset"), ["version"], { cwd: folder });

  const tarballs = join(base, "tarballs");
  const names = published.map(({ manifest }) => `--filter=${manifest.name}`);
  const { stdout } = await pnpm(
    [...names, "pack", "--json", "--pack-destination", tarballs],
    folder,
  );
  const files: { name: string; filename: string; size: number }[] = JSON.parse(stdout);
  const packed: Packed[] = [];
  for (const { name, filename, size } of files) {
    const contents = join(base, "contents", basename(name));
    mkdirSync(contents, { recursive: true });
    await run("tar", ["-xzf", filename, "-C", contents, "--strip-components=1"]);
    const own = published.find(({ manifest }) => manifest.name === name);
    packed.push({
      folder: own?.folder ?? "",
      manifest: readManifest(contents),
      tarball: filename,
      packedBytes: size,
      contents,
    });
  }
  packed.sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
  return { folder, packed, remove: () => rmSync(base, { recursive: true, force: true }) };
}
