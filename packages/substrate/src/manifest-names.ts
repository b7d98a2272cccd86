import { basename, join } from "node:path";

// The engine counts them down, so that by name the newest comes first.
const maxVersion = 2n ** 64n - 1n;

/** Where the manifests of a local table are, one for each version. */
export function versionsFolder(home: string): string {
  return join(home, "_versions");
}

/** Where the manifest of a version is, if there is one. */
export function manifestAt(home: string, version: number): string {
  const digits = String(maxVersion - BigInt(version)).padStart(20, "0");
  return join(versionsFolder(home), `${digits}.manifest`);
}

/** The version whose manifest this is. */
export function versionOf(path: string): number {
  return Number(maxVersion - BigInt(basename(path, ".manifest")));
}

/** False for what was set aside, and for what is not committed yet. */
export function isManifest(name: string): boolean {
  return /^\d{20}\.manifest$/.test(name);
}
