import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { isSystemError } from "@pond/canonical/adapter";

/** The folders in a folder, by name; none if it is not a folder, or cannot be read. */
export function foldersIn(folder: string): readonly string[] {
  return pathsIn(folder, (entry) => entry.isDirectory());
}

/** The files in a folder, by name; none if it is not a folder, or cannot be read. */
export function filesIn(folder: string): readonly string[] {
  return pathsIn(folder, (entry) => entry.isFile());
}

/** True for a folder that exists but may not be read. */
export function isForbidden(folder: string): boolean {
  return forbiddenCodes.has(listed(folder).code);
}

const forbiddenCodes: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EIO"]);

function pathsIn(folder: string, isWanted: (entry: Dirent) => boolean): readonly string[] {
  const { entries } = listed(folder);
  return entries.flatMap((entry) => (isWanted(entry) ? [join(folder, entry.name)] : [])).sort();
}

function listed(folder: string): { readonly entries: readonly Dirent[]; readonly code?: unknown } {
  try {
    return { entries: readdirSync(folder, { withFileTypes: true }) };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { entries: [], code: error instanceof Error && "code" in error && error.code };
  }
}
