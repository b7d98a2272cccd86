import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import { type Extent, readSeenFile, type Stored } from "./seen-file.ts";

/** A session as another source had it when that was read. */
export type FoundElsewhere = {
  readonly sessionId: string;
  readonly extent: Extent;
  readonly path: string;
  /** False of a source that was read only where somebody asked for it by its path. */
  readonly isUsual: boolean;
};

type Work = {
  readonly source: { readonly path: string };
  readonly seen: { readonly file: string };
};

/**
 * Sessions of the sources of this machine that are not read now: the usual ones where a folder is
 * synced by itself, and that folder afterwards. Sources that are gone, or that overlap with one that
 * is read, are left out.
 */
export async function foundElsewhere(
  stateDirectory: string,
  works: readonly Work[],
  stored: Stored,
): Promise<FoundElsewhere[]> {
  const own = new Set(works.map(({ seen }) => seen.file));
  const found: FoundElsewhere[] = [];
  for (const file of stateFiles(stateDirectory)) {
    if (own.has(file)) continue;
    const seen = await readSeenFile(file);
    const { path, isUsual = true } = seen ?? {};
    if (seen === undefined || path === undefined || !existsSync(path)) continue;
    if (works.some(({ source }) => isAbsolute(source.path) && overlap(source.path, path))) continue;
    // To look for the last row of each would cost a question to the store.
    if (seen.storedMessages > stored.messages) continue;
    for (const [, , { sessionId, extent, isGone } = {}] of seen.sessions) {
      if (sessionId && extent && !isGone) found.push({ sessionId, extent, path, isUsual });
    }
  }
  return found;
}

function stateFiles(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(directory, name));
}

function overlap(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way !== ".." && !way.startsWith(`..${sep}`);
}
