import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly man?: readonly string[];
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
};

/** A package of the workspace and its folder in it, such as `packages/sync`. */
export type WorkspacePackage = { readonly folder: string; readonly manifest: Manifest };

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

export const workspacePackages: readonly WorkspacePackage[] = globSync(
  "{packages,apps}/*/package.json",
)
  .map((file) => ({ folder: dirname(file), manifest: readManifest(dirname(file)) }))
  .sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));

/** The published packages: all that are not private. */
export const published: readonly WorkspacePackage[] = workspacePackages.filter(
  ({ manifest }) => manifest.private !== true,
);

/**
 * Packages that were not built, or were built from other sources than the present ones. Compares
 * the sources in source maps; times would not do, because a build may come from a cache.
 */
export function staleBuilds(): readonly string[] {
  return published.filter(({ folder }) => !isBuilt(folder)).map(({ folder }) => folder);
}

function isBuilt(folder: string): boolean {
  const maps = globSync(join(folder, "dist/**/*.js.map"));
  return maps.length > 0 && maps.every(isCurrent);
}

function isCurrent(map: string): boolean {
  const { sources, sourcesContent }: { sources: string[]; sourcesContent: string[] } = JSON.parse(
    readFileSync(map, "utf8"),
  );
  return sources.every((source, index) => {
    const file = resolve(dirname(map), source);
    return existsSync(file) && readFileSync(file, "utf8") === sourcesContent[index];
  });
}
