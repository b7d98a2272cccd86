import { existsSync, readdirSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import type { Source } from "./discover.ts";
import {
  type Extent,
  matchesCounts,
  readSeenFile,
  type StoredRows,
  seenFile,
} from "./seen-file.ts";

/** A session as another source had it when that was read. */
export type SessionElsewhere = {
  readonly sessionId: string;
  readonly extent: Extent;
  readonly path: string;
  /** False for a source that was read only when somebody asked for it by its path. */
  readonly isUsual: boolean;
};

type Work = {
  readonly source: Pick<Source, "path" | "others">;
  readonly seen: { readonly file: string };
};

/**
 * Sessions of this machine's sources that are not read now: the usual ones if a folder is synced by
 * itself, and that folder afterwards. Sources that are gone, or that overlap with one that is read,
 * are left out, except for those around one that is known not to belong to them.
 */
export async function sessionsElsewhere(
  stateDirectory: string,
  works: readonly Work[],
  stored: StoredRows,
): Promise<SessionElsewhere[]> {
  const own = new Set(works.map(({ seen }) => seen.file));
  const found: SessionElsewhere[] = [];
  for (const file of stateFiles(stateDirectory)) {
    if (own.has(file)) continue;
    const seen = await readSeenFile(file);
    const { path, isUsual = true } = seen ?? {};
    if (seen === undefined || path === undefined || !existsSync(path)) continue;
    if (works.some(({ source }) => overlap(source, path))) continue;
    // Looking for the last row of each would cost a query to the store.
    if (!matchesCounts(seen, stored)) continue;
    for (const [, , { sessionId, extent, isGone } = {}] of seen.sessions) {
      if (sessionId && extent && !isGone) found.push({ sessionId, extent, path, isUsual });
    }
  }
  return found;
}

/** Places of an adapter that this machine read for a store, the outermost first. */
export async function pathsReadBefore(stateDirectory: string, adapter: string): Promise<string[]> {
  const files = stateFiles(stateDirectory);
  const seen = await Promise.all(
    files.map(async (file) => [file, await readSeenFile(file)] as const),
  );
  const paths = seen.flatMap(([file, { path } = {}]) =>
    path !== undefined && file === seenFile(stateDirectory, { adapter, path }) ? [path] : [],
  );
  return paths.sort((one, other) => one.length - other.length);
}

const unlistableCodes: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

/**
 * None if they cannot be listed: then nothing is remembered there, which is reported when it should
 * be saved.
 */
function stateFiles(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith(".json"));
    return names.map((name) => join(directory, name));
  } catch (error) {
    // On a faulty disk, more may be remembered than was read.
    if (error instanceof Error && "code" in error && unlistableCodes.has(String(error.code)))
      return [];
    throw error;
  }
}

function overlap({ path, others }: Work["source"], place: string): boolean {
  if (!isAbsolute(path)) return false;
  return isWithin(place, path) || (others === undefined && isWithin(path, place));
}

/** True for the folder itself and for everything in it. */
export function isWithin(path: string, folder: string): boolean {
  const relativePath = relative(folder, path);
  return !isAbsolute(relativePath) && relativePath !== ".." && !relativePath.startsWith(`..${sep}`);
}
