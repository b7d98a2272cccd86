import { basename, join } from "node:path";

// The engine counts down from it, so that the newest comes first by name.
const maxVersion = 2n ** 64n - 1n;

/** The folder with the manifests of a local table, one for each version. */
export function versionsFolder(home: string): string {
  return join(home, "_versions");
}

/** The path of a version's manifest, if there is one. */
export function manifestAt(home: string, version: number): string {
  const digits = String(maxVersion - BigInt(version)).padStart(20, "0");
  return join(versionsFolder(home), `${digits}.manifest`);
}

/** The version that this manifest belongs to. */
export function versionOf(path: string): number {
  return Number(maxVersion - BigInt(basename(path, ".manifest")));
}

/** False for a manifest that was set aside, and for one that is not committed yet. */
export function isManifest(name: string): boolean {
  return /^\d{20}\.manifest$/.test(name);
}
