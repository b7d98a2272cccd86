import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The repository, whatever the working directory. */
export const root: string = join(import.meta.dirname, "..", "..", "..");

/** A published package, and what can be imported from it. */
export type Published = {
  /** Such as `@pond/canonical`. */
  readonly name: string;
  readonly description: string;
  /** Absolute. */
  readonly folder: string;
  /** Import specifier, such as `@pond/canonical/adapter` -> its source file, absolute. */
  readonly entries: ReadonlyMap<string, string>;
};

type Manifest = {
  readonly name: string;
  readonly description: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string | { readonly "@pond/source": string }>>;
};

/** Every package that is published, by name. */
export function publishedPackages(): readonly Published[] {
  return globSync("packages/*/package.json", { cwd: root })
    .sort()
    .flatMap((path) => {
      const manifest: Manifest = JSON.parse(readFileSync(join(root, path), "utf8"));
      const { name, description } = manifest;
      const folder = join(root, dirname(path));
      const entries = new Map<string, string>();
      for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
        if (typeof target === "string") continue;
        entries.set(join(name, subpath), join(folder, target["@pond/source"]));
      }
      return manifest.private ? [] : [{ name, description, folder, entries }];
    });
}
